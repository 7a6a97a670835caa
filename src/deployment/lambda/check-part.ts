import type { CompiledModel } from '../../core/model/compiled.ts';
import type { TelemetryOption } from '../../core/telemetry.ts';
import { isWrongVerdict } from '../../core/verdicts.ts';
import { type CheckOptions, type CheckResult, checkTable } from '../../trust/check/check.ts';
import type { Finding } from '../../trust/check/finding.ts';
import { pageItemsAt, SEGMENTS_A_WORKER, UNITS_AN_ITEM } from '../../trust/check/run/limits.ts';
import type { FunctionLogger } from './function-logger.ts';
import { type FunctionOptions, type FunctionParts, type InvocationContext, timeOfCall } from './function-parts.ts';
import { metricsOfCheck } from './metrics.ts';

/** Options of the handler that checks, rebuilds and migrates. */
export interface RunHandlerOptions extends FunctionOptions, TelemetryOption, Pick<CheckOptions, 'graceMs'> {
  /** As for a check; default 1,500: an answer, with its cursor, has to fit into the 256 KB that Step Functions pass on. */
  mostSuspects?: number | undefined;
}

/** Milliseconds before the function's timeout at which a check stops and gives its cursor. */
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

/** A check by one call, as options of `check`. */
export type CheckPart = Pick<
  CheckOptions,
  'segments' | 'onlySegments' | 'resume' | 'mode' | 'maxRcu' | 'maxWcu' | 'waitsBetweenCalls' | 'store'
> & {
  /** Tells whether the call should stop for a reason other than the function's own time. */
  isOver: () => boolean;
};

/** Checks a part of the table, as far as the time of a call goes; metrics and logs are those of the call. */
export async function checkPart(
  graph: CompiledModel,
  options: RunHandlerOptions,
  { emit, logger: rootLogger }: FunctionParts,
  { isOver, ...part }: CheckPart,
  context: InvocationContext,
): Promise<CheckResult> {
  const logger = rootLogger.child({ requestId: context.awsRequestId });
  const { mode = 'report', maxWcu } = part;
  const reserveMs = mode === 'report' ? RESERVE_MS : WRITING_RESERVE_MS;
  const time = timeOfCall(context, reserveMs);
  const { graceMs, telemetry, now, wait, random, mostSuspects = MOST_SUSPECTS } = options;
  const result = await checkTable({
    ...{ graph, graceMs, telemetry, now, wait, random },
    ...part,
    ...drainLimits(mode, maxWcu, mostSuspects, Math.min(1, time.timeoutMs / 2 / reserveMs)),
    remainingMs: () => (isOver() ? 0 : time.remainingMs()),
    onFinding: (finding) => logFinding(logger, finding),
  });
  const { cursor, ...totals } = result;
  emit(metricsOfCheck(part.resume?.totals, totals));
  logger.info({ ...totals, isOver: cursor === undefined }, 'checked');
  return result;
}

/** Keys and verdict only: what is expected and what is there are contents of items. */
function logFinding(logger: FunctionLogger, { source, target, verdict }: Finding): void {
  logger[isWrongVerdict(verdict) ? 'warn' : 'debug']({ source, target, verdict }, 'found');
}
