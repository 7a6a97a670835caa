import type { TakeEvents } from '../../client/feed/feeder.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { checkOptions } from '../../foundation/options.ts';
import type { StreamSource } from '../../stream/source.ts';
import { IndexSample } from '../../trust/observe/index-sample.ts';
import { readObserverProgress } from '../../trust/observe/memory.ts';
import { MARK_MS, type ObserveResult, observe } from '../../trust/observe/observe.ts';
import { GRACE_MS, type ObserverLimits } from '../../trust/observe/observer.ts';
import {
  FUNCTION_OPTIONS,
  type FunctionOptions,
  functionParts,
  type InvocationContext,
  timeOfCall,
} from './function-parts.ts';

/** Options of an observe handler. */
export interface ObserveHandlerOptions extends FunctionOptions {
  /** The table's stream. */
  stream: StreamSource;
  /** Receives the changes that the records describe. Default: no feed. */
  feed?: TakeEvents | undefined;
  /** The fraction of changed derived items to look up in the indexes later, from 0 to 1. Default: 0.001. */
  indexShare?: number | undefined;
  /** The observer's waits and limits. */
  limits?: Partial<ObserverLimits> | undefined;
}

/** The response of an observer's call. */
export interface ObserveResponse {
  /**
   * The time, in ISO 8601, up to which all changes are verified: items that no later record has touched are right,
   * except for `drift` differences. Null: not known yet.
   */
  verifiedThrough: string | null;
  /** The item, shard or gap that keeps `verifiedThrough` from advancing; null if none does. */
  heldBy: string | null;
  drift: number;
  records: number;
  endedBy: ObserveResult['endedBy'];
}

/** A Lambda handler that checks each change of a table. */
export type ObserveHandler = (event: unknown, context: InvocationContext) => Promise<ObserveResponse>;

/** Less than the minute between the schedule's calls. */
const RUN_MS = 50_000;
const RESERVE_MS = 10_000;
/** Limits the wait for the projector to a fraction of a call, so that the call that reads a record also judges it. */
const WAITING_SHARE = 0.1;

/**
 * Makes the handler that checks each change of a table and repairs nothing; a schedule calls it every minute. It
 * verifies nothing until a clean check has run that began after its first call. Logs contain only keys.
 *
 * @example
 * export const handler = observeHandler(graph, { stream: new DynamoDBStreamSource(streams, streamArn) });
 */
export function observeHandler(graph: CompiledModel, options: ObserveHandlerOptions): ObserveHandler {
  const own = { stream: true, feed: 'function', indexShare: 'checked', limits: true } as const;
  checkOptions('observeHandler', options, { ...FUNCTION_OPTIONS, ...own });
  const { stream, limits } = options;
  const { store, now, wait, emit, logger: rootLogger } = functionParts(graph, options);
  // Outlives a call, since a sampled item is looked up in a later one.
  const indexSample = new IndexSample(graph, options.indexShare);
  return async (_event, context) => {
    const logger = rootLogger.child({ requestId: context.awsRequestId });
    const deadlineMs = now() + RUN_MS;
    const time = timeOfCall(context, RESERVE_MS);
    const waitingMs = (time.timeoutMs - time.reserveMs) * WAITING_SHARE;
    const graceMs = Math.min(limits?.graceMs ?? GRACE_MS, waitingMs);
    let indexDifferences = 0;
    const result = await observe({
      ...{ graph, store, now, wait, limits: { ...limits, graceMs }, source: stream },
      markMs: Math.min(MARK_MS, waitingMs),
      feed: options.feed,
      indexSample,
      checks: false,
      untilAtRest: true,
      remainingMs: () => Math.min(deadlineMs - now(), time.remainingMs()),
      onDrift: ({ suspect: { source, sortKey }, differences, isCertain }) =>
        logger.warn({ source, sortKey, kinds: differences.map(({ kind }) => kind), isCertain }, 'drift'),
      onIndexDifference: (difference) => {
        indexDifferences += 1;
        logger.warn({ ...difference }, 'index difference');
      },
    });
    const { endedBy, records } = result;
    // Another process observes the table, so respond with the state that it has saved.
    const isElsewhere = endedBy === 'busy' || endedBy === 'lost';
    const saved = isElsewhere ? await readObserverProgress(store) : undefined;
    const { throughMs, sinceMs, drift, heldBy } = isElsewhere
      ? { ...saved, sinceMs: saved?.positionsMs, drift: saved?.drift.length ?? 0 }
      : { ...result, throughMs: result.verifiedThroughMs, drift: result.drift.length };
    emit({
      VerifiedAgeSeconds: Math.max(0, now() - (throughMs ?? sinceMs ?? now())) / 1000,
      ...{ ObservedDrift: drift, ObservedRecords: records, IndexDifferences: indexDifferences },
    });
    const verifiedThrough = throughMs === undefined ? null : new Date(throughMs).toISOString();
    const response = { verifiedThrough, heldBy: heldBy ?? null, drift, records, endedBy };
    logger.info(response, 'observed');
    return response;
  };
}
