import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ScanSource, Store } from '../../core/store-port.ts';
import { type DividedOptions, type DividedResult, decideMigration, walkShare } from '../../migrate/divided/divided.ts';
import { serverTime, tableIdentity } from '../../store/table-description.ts';
import {
  pageItemsAt,
  type RunLimits,
  readLimits,
  SEGMENTS_A_WORKER,
  workersFor,
} from '../../trust/check/run/limits.ts';
import { type InvocationContext, timeOfCall } from './function-parts.ts';

/** A call of a migration that decides. Zeros leave the number of workers to the write units, and reads without a limit. */
export type MigrateRequest = RunLimits;

/** A call of a worker: its share of a walk. */
export interface WalkRequest {
  plan: string;
  share: number;
  /** Units a second that the worker may consume. 0: no limit. */
  maxRcu: number;
  maxWcu: number;
}

/** The result of a call that decides. */
export interface MigrateResponse extends Pick<DividedResult, 'steps' | 'done' | 'next' | 'leftovers' | 'waitSeconds'> {
  /** Give each to a worker, whose calls go on until it is done; then call again. Empty: call again after the pause. */
  shares: WalkRequest[];
}

/** The result of a call of a worker. */
export interface WalkResponse {
  isDone: boolean;
}

/** The table as a call of a migration sees it. */
export interface MigrateTable {
  store: Store & ScanSource;
  client: DynamoDBClient | undefined;
  /** Milliseconds since 1970. Default: DynamoDB's clock if it is known, else the machine's. */
  now: (() => number) | undefined;
}

/** A page of a walk that was begun is brought to its end, in each segment: its reads and writes have to fit into this time at the worker's rates. */
const RESERVE_MS = 60_000;
/** Seconds of the reserve that the reads and writes of the pages may take; the rest is for slow calls and for saving the place. */
const DRAIN_SECONDS = 30;

/**
 * Decides the steps of a migration until the function's time ends, and divides the next walk over the table into shares. It walks no
 * share itself: workers do, by `walkCall`.
 */
export async function migrateCall(
  graph: CompiledModel,
  table: MigrateTable,
  request: MigrateRequest,
  context: InvocationContext,
): Promise<MigrateResponse> {
  const { maxRcu, maxWcu, workers } = readLimits(request);
  const division = {
    shares: workers > 0 ? workers : workersFor(maxWcu),
    segmentsOfShare: SEGMENTS_A_WORKER,
  };
  const { shares, steps, done, next, leftovers, waitSeconds } = await decideMigration(
    await migrateOptions(graph, table, context),
    division,
  );
  // A walk that was dealt out by an earlier execution keeps its shares: the rate is that of those which are left.
  const limits = { maxRcu: maxRcu / Math.max(1, shares.length), maxWcu: maxWcu / Math.max(1, shares.length) };
  return { steps, done, next, leftovers, waitSeconds, shares: shares.map((share) => ({ ...share, ...limits })) };
}

/** Walks a share as far as the function's time goes. */
export async function walkCall(
  graph: CompiledModel,
  table: MigrateTable,
  { plan, share, maxRcu, maxWcu }: WalkRequest,
  context: InvocationContext,
): Promise<WalkResponse> {
  const options = await migrateOptions(graph, table, context);
  const rates = { ...(maxRcu > 0 && { maxRcu }), ...(maxWcu > 0 && { maxWcu }) };
  const slowest = Math.min(...Object.values(rates));
  const pages = slowest < Number.POSITIVE_INFINITY && { pageItems: pageItemsAt(slowest, DRAIN_SECONDS) };
  return await walkShare({ ...options, ...pages, ...rates }, { plan, share });
}

async function migrateOptions(
  graph: CompiledModel,
  { store, client, now }: MigrateTable,
  context: InvocationContext,
): Promise<DividedOptions> {
  return {
    graph,
    store,
    ...(client && (await tableIdentity(graph, { client }))),
    ...(client && { serverTime: () => serverTime(graph, { client }) }),
    // One clock for all: pauses that are measured by two would end too early.
    ...(now && { now, serverTime: async () => now() }),
    remainingMs: timeOfCall(context, RESERVE_MS).remainingMs,
  };
}
