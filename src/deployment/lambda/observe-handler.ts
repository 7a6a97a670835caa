import type { CompiledModel } from '../../core/model/compiled.ts';
import { checkOptions } from '../../foundation/options.ts';
import type { StreamSource } from '../../stream/source.ts';
import type { TakeEvents } from '../../trust/observe/feeder.ts';
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
  /** Takes the changes that the records tell: see `feed` of the observer. Default: no feed. */
  feed?: TakeEvents | undefined;
  /** The share of changed items, from 0 to 1, about which the indexes are asked later. Default 0.001. */
  indexShare?: number | undefined;
  /** Waits and bounds of the observer. */
  limits?: Partial<ObserverLimits> | undefined;
}

/** The answer of an observer's call. */
export interface ObserveResponse {
  /** Every derived item that nothing has touched since this time is right, but for `drift` differences, ISO 8601; null: not known yet. */
  verifiedThrough: string | null;
  /** The item, shard or gap that holds the time; null: nothing does. */
  heldBy: string | null;
  drift: number;
  records: number;
  endedBy: ObserveResult['endedBy'];
}

/** A Lambda handler that judges each change of a table. */
export type ObserveHandler = (event: unknown, context: InvocationContext) => Promise<ObserveResponse>;

/** Milliseconds that a call works at most: less than the schedule's period, so that the next one begins where it ends. */
const RUN_MS = 50_000;
/** Milliseconds before the function's timeout at which a call saves its state. */
const RESERVE_MS = 10_000;
/** The part of a call that the projector has for a record at most, and that a low watermark is used: a record is judged within the call that reads it. */
const WAITING_SHARE = 0.1;

/**
 * Makes the handler that judges each change of a table as it comes: a schedule calls it every minute, it reads on from where the call
 * before was, and ends when nothing is left to be judged. A lease in the table keeps two calls from running at a time. It repairs nothing,
 * and checks no whole table: the base of its proof is a check that finds nothing and begins after the first call, by hand or at night.
 *
 * Logs hold keys, never the contents of items.
 *
 * @example
 * export const handler = observeHandler(graph, { stream: new DynamoDBStreamSource(createStreamsClient(), streamArn) });
 */
export function observeHandler(graph: CompiledModel, options: ObserveHandlerOptions): ObserveHandler {
  const own = { stream: true, feed: true, indexShare: true, limits: true } as const;
  checkOptions('observeHandler', options, { ...FUNCTION_OPTIONS, ...own });
  const { stream, limits } = options;
  const { store, now, wait, emit, logger: rootLogger } = functionParts(graph, options);
  // A question waits for longer than a call works: the calls of a process share them.
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
    // Another process observes the table: what it has saved is the answer.
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
