import type { CompiledModel } from '../../core/model/compiled.ts';
import type { TelemetryOption } from '../../core/telemetry.ts';
import { isWrongVerdict } from '../../core/verdicts.ts';
import { type CheckOptions, type CheckResult, checkTable } from '../../trust/check/check.ts';
import type { Finding } from '../../trust/check/finding.ts';
import { pageItemsAt, SEGMENTS_A_WORKER, UNITS_AN_ITEM } from '../../trust/check/run/limits.ts';
import type { FunctionLogger } from './function-logger.ts';
import { type FunctionOptions, type FunctionParts, type InvocationContext, timeOfCall } from './function-parts.ts';
import { metricsOfCheck } from './metrics.ts';

/** Options of `checkRunHandler`. */
export interface RunHandlerOptions extends FunctionOptions, TelemetryOption, Pick<CheckOptions, 'graceMs'> {
  /**
   * Maximum number of partitions that may wait until their differences are known to be lag or drift. Default: 1,500, so
   * that the response fits into Step Functions' limit of 256 KB.
   */
  mostSuspects?: number | undefined;
}

const RESERVE_MS = 10_000;
const MOST_SUSPECTS = 1_500;
/** A call that writes needs longer to stop, because it first reconciles the partitions that it has begun. */
const WRITING_RESERVE_MS = 60_000;
/** Part of `WRITING_RESERVE_MS` for reconciling partitions; the rest is for slow calls. */
const DRAIN_SECONDS = 20;
/** With fewer suspects, a short call would make little progress. */
const FEWEST_SUSPECTS = 16;
/** Assumed if `maxWcu` is not set: the limit of one DynamoDB partition. */
const WRITE_UNITS_A_SECOND = 1_000;

/** @param share the fraction of the full reserve that a call has; below 1 if the function's timeout is short. */
function drainLimits(mode: CheckOptions['mode'], maxWcu: number | undefined, mostSuspects: number, share: number) {
  const [wcu, seconds] = [maxWcu ?? WRITE_UNITS_A_SECOND, DRAIN_SECONDS * share];
  const written = mode === 'report' ? mostSuspects : (wcu * seconds) / UNITS_AN_ITEM;
  const most = Math.max(1, Math.floor(Math.min(Math.max(FEWEST_SUSPECTS, mostSuspects * share), written)));
  if (mode === 'rebuild') return { mostSuspects: most, pageItems: pageItemsAt(wcu, seconds) };
  // A call finishes the pages that it has begun, so a short call reads smaller pages.
  return { mostSuspects: most, ...(share < 1 && { pageItems: Math.ceil(most / SEGMENTS_A_WORKER) }) };
}

export type CheckPart = Pick<
  CheckOptions,
  'segments' | 'onlySegments' | 'resume' | 'mode' | 'maxRcu' | 'maxWcu' | 'store'
> & {
  readsOn: () => boolean;
};

export async function checkPart(
  graph: CompiledModel,
  options: RunHandlerOptions,
  { emit, logger: rootLogger }: FunctionParts,
  part: CheckPart,
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
    remainingMs: time.remainingMs,
    onFinding: (finding) => logFinding(logger, finding),
    onRepair: (action) => {
      if (action.startsWith('cannot')) logger.warn({ reason: action }, 'not repaired');
    },
  });
  const { cursor, ...totals } = result;
  emit(metricsOfCheck(part.resume?.totals, totals));
  logger.info({ ...totals, isOver: cursor === undefined }, 'checked');
  return result;
}

/** Logs no other fields of a finding, because they hold item content. */
function logFinding(logger: FunctionLogger, { source, target, verdict }: Finding): void {
  logger[isWrongVerdict(verdict) ? 'warn' : 'debug']({ source, target, verdict }, 'found');
}
