import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { migrate } from '../migrate/migrate.ts';
import type { MigrateStep } from '../migrate/migrate-types.ts';
import { parseMigratePlace } from '../migrate/walks/place.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ScanSource, Store } from '../store/port.ts';
import { serverTime, tableIdentity } from '../store/table.ts';
import type { InvocationContext } from './stream-handler.ts';

/** A call of a migration: where the call before stopped; null or absent for the first. */
export interface MigrateRequest {
  place?: unknown;
}

/** What a call of a migration came to. */
export interface MigrateResponse {
  /** The steps of this call. */
  steps: MigrateStep[];
  /** Call again with it after the pause; null: the table keeps everything as the model has it. */
  place: unknown;
  /** Seconds to wait before the next call: until no reader uses what goes. */
  waitSeconds: number;
  /** What comes next, in words. */
  next: string;
}

/** A page of a walk that was begun is brought to its end: hundreds of writes. */
const RESERVE_MS = 60_000;

/**
 * Migrates as far as the function's time goes.
 *
 * @param now milliseconds since 1970. Default: DynamoDB's clock where it tells, else the machine's.
 */
export async function migrateCall(
  graph: CompiledModel,
  {
    store,
    client,
    now,
  }: { store: Store & ScanSource; client: DynamoDBClient | undefined; now: (() => number) | undefined },
  { place }: MigrateRequest,
  context: InvocationContext,
): Promise<MigrateResponse> {
  const result = await migrate({
    graph,
    store,
    waitsBetweenCalls: true,
    ...(client && (await tableIdentity(client, graph))),
    ...(client && { serverTime: () => serverTime(client, graph) }),
    // One clock for all: pauses that are measured by two would end too early.
    ...(now && { now, serverTime: async () => now() }),
    ...(place !== undefined && place !== null && { resume: parseMigratePlace(place) }),
    remainingMs: () => context.getRemainingTimeInMillis() - RESERVE_MS,
  });
  return { steps: result.steps, place: result.place ?? null, waitSeconds: result.waitSeconds ?? 0, next: result.next };
}
