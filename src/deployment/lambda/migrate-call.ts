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

/** `workers: 0` derives the number of workers from `maxWcu`. `maxRcu: 0` means no limit. */
export type MigrateRequest = RunLimits;

/** A worker's share of a walk. */
export interface WalkRequest {
  plan: string;
  share: number;
  /** Read units per second; 0 means no limit. */
  maxRcu: number;
  maxWcu: number;
}

/** The result of a call that decides the next steps. */
export interface MigrateResponse extends Pick<DividedResult, 'steps' | 'done' | 'next' | 'leftovers' | 'waitSeconds'> {
  /**
   * Unless `done`: walk each share until it is done, then call again. If there are no shares, call again after
   * `waitSeconds`.
   */
  shares: WalkRequest[];
}

/** The result of a worker's call. */
export interface WalkResponse {
  isDone: boolean;
}

export interface MigrateTable {
  store: Store & ScanSource;
  client: DynamoDBClient | undefined;
  /** Milliseconds since 1970. Default: DynamoDB's clock if there is a client, otherwise this machine's. */
  now: (() => number) | undefined;
}

const RESERVE_MS = 60_000;
/** Part of the reserve in which segments finish the pages that they have begun; the rest is for slow calls. */
const DRAIN_SECONDS = 30;

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
  // A restarted walk keeps its shares, and the unfinished ones divide the rates.
  const limits = { maxRcu: maxRcu / Math.max(1, shares.length), maxWcu: maxWcu / Math.max(1, shares.length) };
  return { steps, done, next, leftovers, waitSeconds, shares: shares.map((share) => ({ ...share, ...limits })) };
}

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
    // Replaces `serverTime` as well, because two clocks could end pauses too early.
    ...(now && { now, serverTime: async () => now() }),
    remainingMs: timeOfCall(context, RESERVE_MS).remainingMs,
  };
}
