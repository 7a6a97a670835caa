import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CompiledModel, TableNames } from '../../core/model/compiled.ts';
import type { ScanSource, Store } from '../../core/store-port.ts';
import { isClean, isWrongVerdict } from '../../core/verdicts.ts';
import { checkOptions, type OptionNames } from '../../foundation/options.ts';
import { runtimeOf } from '../../foundation/runtime.ts';
import { deferredCalls } from '../../store/client/deferred.ts';
import { DynamoDBStore } from '../../store/dynamodb.ts';
import { type CheckOptions, type CheckResult, checkTable, GRACE_MS } from '../../trust/check/check.ts';
import { type CheckCounts, type CheckCursor, parseCursor } from '../../trust/check/cursor.ts';
import type { Finding } from '../../trust/check/finding.ts';
import { pageItemsAt, SEGMENTS_A_WORKER, UNITS_AN_ITEM } from '../../trust/check/run/limits.ts';
import { timeOfCall } from './call-time.ts';
import { checkEvent } from './events.ts';
import { type FunctionLogger, functionLogger } from './function-logger.ts';
import { metricsOf, metricsOfCheck } from './metrics.ts';
import { functionClientOptions } from './settings.ts';
import type { InvocationContext } from './stream-handler.ts';

/** The event of a nightly check. */
export interface CheckEvent {
  /** Parts that the table is read in. Default 8. */
  segments?: number;
  /** Only these parts, 0 to `segments - 1`. Default: all. */
  onlySegments?: number[];
  /** Repairs drift. */
  repair?: boolean;
  /** The cursor of the previous call; the check continues there. */
  cursor?: unknown;
}

/** The result of a call: totals of it and of the calls before it. */
export interface CheckResponse extends CheckCounts {
  /** The cursor for the next call; null at the end of the check. */
  cursor: unknown;
  /** True if all drift that was found is repaired, nothing is quarantined, and the registry knows all that is there. */
  isClean: boolean;
}

/** Options of a check handler. */
export interface CheckHandlerOptions
  extends Pick<CheckOptions, 'graceMs' | 'consumer' | 'dangling' | 'maxRcu' | 'maxWcu' | 'telemetry'> {
  /** @internal */
  now?: CheckOptions['now'];
  /** @internal */
  wait?: CheckOptions['wait'];
  /** As for a check; default 1,500: an answer, with its cursor, has to fit into the 256 KB that Step Functions pass on. */
  mostSuspects?: number | undefined;
  /** Client to read and write with. Default: one for the function's own region, kept for the function's life. */
  client?: DynamoDBClient | undefined;
  /** The table, instead of `client`. */
  store?: (Store & ScanSource) | undefined;
  /** Milliseconds before the function's timeout at which the check stops and gives its cursor. Default 10,000; where it writes 60,000; half of the call's time at most. */
  reserveMs?: number | undefined;
  /** A pino logger, or anything like it. Default: JSON lines on stdout, level `info`. */
  logger?: FunctionLogger | undefined;
}

/** The names of the options of a check handler. */
export const CHECK_HANDLER_OPTIONS: OptionNames<CheckHandlerOptions> = {
  client: true,
  store: true,
  graceMs: true,
  consumer: true,
  dangling: 'boolean',
  maxRcu: true,
  maxWcu: true,
  mostSuspects: true,
  reserveMs: true,
  logger: true,
  telemetry: true,
  now: true,
  wait: true,
};

/** A Lambda handler that checks a table, or some parts of it. */
export type CheckHandler = (event: CheckEvent, context: InvocationContext) => Promise<CheckResponse>;

const RESERVE_MS = 10_000;
const MOST_SUSPECTS = 1_500;
/** A call that writes reconciles the partitions that are being judged before it gives its cursor, at the rate of its writes. */
const WRITING_RESERVE_MS = 60_000;
/**
 * Seconds of that reserve for the partitions that are being judged, and for the partitions of pages that have begun. The rest of the
 * reserve is for slow calls.
 */
const DRAIN_SECONDS = 20;
/** Partitions that are judged at the price of one, at least: with fewer a short call would get on slowly. */
const FEWEST_SUSPECTS = 16;
/** Write units a second of a call without a rate: a partition of DynamoDB takes them. */
const WRITE_UNITS_A_SECOND = 1_000;

/**
 * The most partitions that wait, so that a call that writes at this rate ends within its reserve. A rebuild reconciles the partitions of
 * a page that has begun too; the differences that a check finds in it wait for the next call.
 *
 * @param share the part of the reserve that a call has: a function with a short timeout has less.
 */
function drainLimits(mode: CheckOptions['mode'], maxWcu: number | undefined, mostSuspects: number, share: number) {
  const [wcu, seconds] = [maxWcu ?? WRITE_UNITS_A_SECOND, DRAIN_SECONDS * share];
  const written = mode === 'report' ? mostSuspects : (wcu * seconds) / UNITS_AN_ITEM;
  const most = Math.max(1, Math.floor(Math.min(Math.max(FEWEST_SUSPECTS, mostSuspects * share), written)));
  if (mode === 'rebuild') return { mostSuspects: most, pageItems: pageItemsAt(wcu, seconds) };
  // A page that has begun is judged whole, whatever of it differs.
  return { mostSuspects: most, ...(share < 1 && { pageItems: Math.ceil(most / SEGMENTS_A_WORKER) }) };
}

/** One call of a check, as options of `check`. */
export type CheckCall = Pick<
  CheckOptions,
  'segments' | 'onlySegments' | 'resume' | 'mode' | 'maxRcu' | 'maxWcu' | 'waitsBetweenCalls'
> & {
  /** Tells whether the call should stop for a reason other than the function's own time. */
  isOver?: () => boolean;
  /** The store, as this call should use it. */
  through?: (store: Store & ScanSource) => Store & ScanSource;
};

/** Makes the calls of a check of one table. */
export interface CheckCaller {
  table: TableNames;
  store: Store & ScanSource;
  /** Absent where only a store is given. */
  client: (() => Promise<DynamoDBClient>) | undefined;
  /** The table's size as DynamoDB states it; 0 where only a store is given. */
  tableBytes(): Promise<number>;
  /** Seconds until the looks of a cursor are as old as `graceMs` asks for, and can be judged; 0 if the cursor has no looks. */
  graceSeconds(cursor: CheckCursor): number;
  call(request: CheckCall, context: InvocationContext): Promise<CheckResult>;
}

/** Makes what both handlers of checks call: metrics and logs are those of the call. */
export function createCheckCaller(graph: CompiledModel, options: CheckHandlerOptions): CheckCaller {
  const { client, mostSuspects = MOST_SUSPECTS, logger: rootLogger = functionLogger('info') } = options;
  const calls = client ?? deferredCalls(functionClientOptions());
  const store = options.store ?? new DynamoDBStore(calls, graph.table);
  const openClient = async (): Promise<DynamoDBClient> => ('callOnce' in calls ? await calls.client() : calls);
  const ownClient = options.store === undefined ? openClient : undefined;
  const emit = metricsOf(graph.table.name);
  return {
    store,
    client: ownClient,
    table: graph.table,
    async tableBytes() {
      if (ownClient === undefined) return 0;
      const { describeTable } = await import('../../store/table-description.ts');
      return (await describeTable(graph, { client: await ownClient() })).sizeBytes;
    },
    graceSeconds({ looks }) {
      if (looks === undefined) return 0;
      const { graceMs = GRACE_MS } = options;
      return Math.ceil(Math.max(0, looks.atMs + graceMs - runtimeOf(options).now()) / 1000);
    },
    async call({ isOver = () => false, through = (one) => one, ...request }, context) {
      const logger = rootLogger.child({ requestId: context.awsRequestId });
      const { mode = 'report', maxWcu } = request;
      const { reserveMs = mode === 'report' ? RESERVE_MS : WRITING_RESERVE_MS } = options;
      const time = timeOfCall(context, reserveMs);
      const result = await checkTable({
        ...options,
        graph,
        store: through(store),
        ...request,
        ...drainLimits(mode, maxWcu, mostSuspects, Math.min(1, time.timeoutMs / 2 / reserveMs)),
        remainingMs: () => (isOver() ? 0 : time.remainingMs()),
        onFinding: (finding) => logFinding(logger, finding),
      });
      const { cursor, ...totals } = result;
      emit(metricsOfCheck(request.resume?.totals, totals));
      logger.info({ ...totals, isOver: cursor === undefined }, 'checked');
      return result;
    },
  };
}

/**
 * Makes the handler of a check. A call works until the time reserve and gives a cursor; the next goes on from
 * there, and the totals add up. The function's timeout has to leave room for the grace period: suspects that are left when a
 * call ends are looked at again by the next.
 *
 * @example
 * export const handler = checkHandler(graph, { maxRcu: 500 });
 */
export function checkHandler(graph: CompiledModel, options: CheckHandlerOptions = {}): CheckHandler {
  checkOptions('checkHandler', options, CHECK_HANDLER_OPTIONS);
  const caller = createCheckCaller(graph, options);
  return async (event, context) => {
    checkEvent('check', event);
    const { segments, onlySegments, repair = false, cursor } = event;
    const resume = cursor === undefined || cursor === null ? undefined : parseCursor(cursor);
    const { maxRcu, maxWcu } = options;
    const mode = repair ? 'repair' : 'report';
    const result = await caller.call({ segments, onlySegments, resume, mode, maxRcu, maxWcu }, context);
    const { cursor: next, ...totals } = result;
    return { ...totals, isClean: isClean(totals), cursor: next ?? null };
  };
}

/** Keys and verdict only: what is expected and what is there are contents of items. */
function logFinding(logger: FunctionLogger, { source, target, verdict }: Finding): void {
  logger[isWrongVerdict(verdict) ? 'warn' : 'debug']({ source, target, verdict }, 'found');
}
