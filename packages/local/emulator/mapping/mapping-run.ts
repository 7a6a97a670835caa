import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import { backoffMs } from '../../../../src/foundation/retry.ts';
import { type Runtime, runtimeOf } from '../../../../src/foundation/runtime.ts';
import type { FollowRun } from '../../../../src/stream/follower.ts';
import { RunReport } from '../../../../src/stream/run-report.ts';
import { compileFilters, type RecordFilter } from './filter-pattern.ts';
import type { GivenUpReport, InvocationReport, MappingOptions, MappingResult } from './mapping-types.ts';

/** A mapping's options with their defaults, checked. */
export interface MappingRules extends Pick<Runtime, 'now'> {
  batchSize: number;
  windowMs: number;
  passes: RecordFilter;
  reportsItems: boolean;
  bisects: boolean;
  /** Infinite: for ever. */
  maximumRetries: number;
  /** Infinite: any age. */
  maximumAgeMs: number;
  retryDelayMs: (attempt: number) => number;
}

/** State that the shards of one run of a mapping share. */
export interface MappingRun extends FollowRun {
  options: MappingOptions;
  rules: MappingRules;
  report: MappingReport;
}

/** Checks a mapping's options against Lambda's limits; throws `invalid-mapping` with the one that is wrong. */
export function mappingRules(options: MappingOptions): MappingRules {
  const { batchSize = 100, maximumBatchingWindowSeconds = 0, maximumRetryAttempts = -1 } = options;
  const { maximumRecordAgeSeconds = -1, functionResponseTypes = [], startingPosition = 'TRIM_HORIZON' } = options;
  checkRange('batchSize', batchSize, 1, 10_000);
  checkRange('maximumBatchingWindowSeconds', maximumBatchingWindowSeconds, 0, 300);
  if (maximumRetryAttempts !== -1) checkRange('maximumRetryAttempts', maximumRetryAttempts, 0, 10_000);
  if (maximumRecordAgeSeconds !== -1) checkRange('maximumRecordAgeSeconds', maximumRecordAgeSeconds, 60, 604_800);
  checkIsOneOf('functionResponseTypes', functionResponseTypes, ['ReportBatchItemFailures']);
  checkIsOneOf('startingPosition', [startingPosition], ['TRIM_HORIZON', 'LATEST']);
  return {
    batchSize,
    windowMs: maximumBatchingWindowSeconds * 1000,
    passes: compileFilters(options.filters ?? []),
    reportsItems: functionResponseTypes.includes('ReportBatchItemFailures'),
    bisects: options.bisectBatchOnFunctionError ?? false,
    maximumRetries: maximumRetryAttempts === -1 ? Number.POSITIVE_INFINITY : maximumRetryAttempts,
    maximumAgeMs: maximumRecordAgeSeconds === -1 ? Number.POSITIVE_INFINITY : maximumRecordAgeSeconds * 1000,
    retryDelayMs: options.retryDelayMs ?? ((attempt) => backoffMs(attempt)),
    now: runtimeOf(options).now,
  };
}

/** Sums up a mapping's run and tells its events to its listeners. */
export class MappingReport extends RunReport {
  private readonly totals = { invocations: 0, failedInvocations: 0, delivered: 0, filtered: 0, givenUp: 0 };

  constructor(private readonly listeners: Pick<MappingOptions, 'logger' | 'onInvocation' | 'onGivenUp'>) {
    super(listeners.logger);
  }

  /** Records came that no filter lets in. */
  onFiltered(count: number): void {
    this.totals.filtered += count;
  }

  /** The function was invoked. */
  onInvocation(report: InvocationReport): void {
    const { totals, logger } = this;
    const { shardId, requestId, done, next, sequenceNumbers } = report;
    totals.invocations += 1;
    totals.delivered += done;
    if (next !== 'done') totals.failedInvocations += 1;
    const details = { shardId, requestId, records: sequenceNumbers.length, done, next };
    // A listener tells of failures in words of its own.
    const isHeard = next === 'done' || this.listeners.onInvocation !== undefined;
    logger[isHeard ? 'debug' : 'warn'](details, invocationSentence(report));
    this.listeners.onInvocation?.(report);
  }

  /** Records were given up. */
  onGivenUp(report: GivenUpReport): void {
    const { shardId, condition, sequenceNumbers, keptAt } = report;
    this.totals.givenUp += sequenceNumbers.length;
    const where = keptAt === undefined ? 'dropped: there is no on-failure destination' : `kept in ${keptAt}`;
    const details = { shardId, condition, records: sequenceNumbers.length };
    this.logger.error(details, `Given up: ${countText(sequenceNumbers.length, 'record')}, now ${where}.`);
    this.listeners.onGivenUp?.(report);
  }

  /** The whole run. */
  result(endedBy: MappingResult['endedBy']): MappingResult {
    return { endedBy, ...this.totals };
  }
}

function invocationSentence({ next, result }: InvocationReport): string {
  if (next === 'done') return 'Batch delivered.';
  return result.kind === 'error'
    ? `The function failed: ${result.errorType}: ${result.errorMessage}`
    : 'The function reported failed records, or answered in a form that fails the batch.';
}

function checkRange(name: string, value: number, from: number, to: number): void {
  if (Number.isInteger(value) && value >= from && value <= to) return;
  const never = name.startsWith('maximumR') ? ', or -1' : '';
  throw invalidMapping(`${name} is ${value}, and should be a whole number from ${from} to ${to}${never}`);
}

function checkIsOneOf(name: string, values: readonly string[], known: readonly string[]): void {
  const unknown = values.find((value) => !known.includes(value));
  if (unknown !== undefined) throw invalidMapping(`${name} has ${JSON.stringify(unknown)}; known: ${known.join(', ')}`);
}

function invalidMapping(what: string): EdgeloomError {
  return new EdgeloomError(
    'invalid-mapping',
    `The event source mapping's option ${what}.`,
    'Give the mapping options as Lambda takes them: CreateEventSourceMapping refuses this one too.',
  );
}
