import type { ChangeRecord } from '../../core/items/change-record.ts';
import { checkStreamTable } from '../../core/items/stream-arn.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import type { TelemetryOption } from '../../core/telemetry.ts';
import { checkOptions } from '../../foundation/options.ts';
import { appliedCount, createProjector } from '../../projecting/apply/projector.ts';
import type { BatchResult } from '../../projecting/apply/projector-types.ts';
import { requireKeyTypes } from '../../store/key-types.ts';
import { decodeRecords, type RawRecord } from '../../stream/decode.ts';
import { ProgressRecorder } from '../../stream/progress/recorder.ts';
import { recordsOf } from './event-records.ts';
import type { FunctionLogger } from './function-logger.ts';
import {
  type CallTime,
  FUNCTION_OPTIONS,
  type FunctionOptions,
  functionParts,
  type InvocationContext,
  timeOfCall,
} from './function-parts.ts';
import { emitBatch } from './metrics.ts';

/** The fields of Lambda's stream event that the handler reads. */
export interface StreamEvent {
  Records: RawRecord[];
}

/** The response to the event source mapping, which needs `ReportBatchItemFailures`. */
export interface StreamResponse {
  /** Empty if all records are applied; otherwise the first unapplied record, from which the mapping retries. */
  batchItemFailures: { itemIdentifier: string }[];
}

/** Options of a stream handler. */
export interface StreamHandlerOptions extends Omit<FunctionOptions, 'store'>, TelemetryOption {
  /** Replaces `client`. */
  store?: Store | undefined;
  /** Calls in flight at once. Default: 32. */
  concurrency?: number | undefined;
  /**
   * Saves progress in the table. Every ten seconds, this costs each instance of the function one write unit, plus one per
   * 36 batches, rounded up. Default: true.
   */
  progress?: boolean | undefined;
}

/** A Lambda handler for the stream of a table. */
export type StreamHandler = (event: StreamEvent, context: InvocationContext) => Promise<StreamResponse>;

const RESERVE_MS = 5_000;

/**
 * Makes the handler that projects a table's stream. It retries until little time is left, then reports the first
 * unapplied record. Throws for events from streams of other tables, and `table-differs` if keys of the table or its
 * indexes are not strings. Logs contain only keys.
 *
 * @example
 * export const handler = streamHandler(graph, { concurrency: 64 });
 */
export function streamHandler(graph: CompiledModel, options: StreamHandlerOptions = {}): StreamHandler {
  const names = { ...FUNCTION_OPTIONS, concurrency: 'count', progress: 'boolean', telemetry: true } as const;
  checkOptions('streamHandler', options, names);
  const { concurrency, telemetry } = options;
  // The projector retries instead of the client, since it knows the time left.
  const { store, now, random, emit, logger: rootLogger } = functionParts(graph, options, 1);
  const projector = createProjector(graph, { store, concurrency, now, random, telemetry });
  const onError = (error: unknown): void =>
    rootLogger.warn({ error: String(error) }, 'the progress could not be noted');
  const progress =
    options.progress === false ? undefined : new ProgressRecorder({ graph, store, kind: 'lambda', now, onError });
  let isTableKnown = false;
  return async (event, context) => {
    const logger = rootLogger.child({ requestId: context.awsRequestId });
    const raw = recordsOf(event, 'stream');
    for (const arn of new Set(raw.map(({ eventSourceARN = '' }) => eventSourceARN))) {
      checkStreamTable(arn, graph.table.name);
    }
    // Repeated until it passes, because a table with wrong keys may be replaced.
    if (!isTableKnown) await requireKeyTypes(graph, store, logger);
    isTableKnown = true;
    const records = decodeRecords(graph, raw);
    logger.debug({ keys: records.map(({ source, target }) => [source, target]) }, 'batch received');
    const time = timeOfCall(context, RESERVE_MS);
    const projectRecords = (): Promise<BatchResult> => projector.project(records, { remainingMs: time.remainingMs });
    const result = await (progress === undefined ? projectRecords() : progress.writeWhile(projectRecords));
    emitBatch(emit, result, ageOfOldestMs(records, now()), context.functionVersion);
    // Notes only applied records, because the low watermark must not pass the others.
    progress?.noteApplied(records.slice(0, appliedCount(records, result)));
    await progress?.writeIfDue();
    return reportFailures(result, time, logger);
  };
}

function reportFailures(
  result: BatchResult,
  { timeoutMs, reserveMs }: CallTime,
  logger: FunctionLogger,
): StreamResponse {
  const { failedFrom, error, quarantines = [], ...counts } = result;
  for (const kind of quarantines) logger.warn(kind, 'quarantined');
  if (failedFrom === undefined) {
    logger.info(counts, 'batch applied');
    return { batchItemFailures: [] };
  }
  const { source, target, sequenceNumber } = failedFrom;
  const reason = { code: error?.code, message: error?.message };
  const details = { ...counts, source, target, sequenceNumber, reason, timeoutMs, reserveMs };
  logger.warn(details, 'batch not applied in full; it will be retried');
  return { batchItemFailures: [{ itemIdentifier: sequenceNumber }] };
}

function ageOfOldestMs(records: readonly ChangeRecord[], nowMs: number): number | undefined {
  const created = records.map(({ createdAtSeconds }) => createdAtSeconds).filter((seconds) => seconds !== undefined);
  return created.length === 0 ? undefined : Math.max(0, nowMs - Math.min(...created) * 1000);
}
