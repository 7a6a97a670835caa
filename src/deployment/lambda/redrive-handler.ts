import type { CompiledModel, OfGraph } from '../../core/model/compiled.ts';
import type { TelemetryOption } from '../../core/telemetry.ts';
import { messageOf } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import { deleteEnded } from '../../projecting/ended/delete-ended.ts';
import { deferredStreams } from '../../store/client/deferred.ts';
import type { StreamSource } from '../../stream/source.ts';
import { checkAgeSeconds } from '../../trust/check/last-check.ts';
import type { SendMessage } from '../../trust/failures/failure-message.ts';
import {
  bucketAccess,
  type FailureSources,
  messageOfRest,
  tryRedriveMessage,
} from '../../trust/failures/failure-queue.ts';
import { sweepInTurn } from '../../trust/observe/sweep-in-turn.ts';
import {
  addRedrive,
  emptyRedrive,
  type RedriveOptions,
  type RedriveResult,
  redrive,
} from '../../trust/repair/redrive.ts';
import { recordsOf } from './event-records.ts';
import { checkEvent } from './events.ts';
import type { FunctionLogger } from './function-logger.ts';
import {
  FUNCTION_OPTIONS,
  type FunctionOptions,
  functionParts,
  type InvocationContext,
  timeOfCall,
} from './function-parts.ts';
import { sendToQueue } from './queue-service.ts';
import { functionClientOptions } from './settings.ts';
import type { StreamResponse } from './stream-handler.ts';
import { isStreamReplaced, registeredState, type WatchedTable } from './table-watch.ts';

/**
 * An empty event redrives the quarantine, and reconciles unclaimed records. Unknown fields are refused, except in
 * EventBridge's own events.
 */
export interface RedriveEvent {
  /** Only checks the table's registry and stream, and registers an empty table. */
  watch?: boolean;
  /** Only deletes ended edges of counted types, as `deleteEnded` does. */
  ended?: boolean;
  /** Messages of an SQS queue. */
  Records?: { messageId: string; body: string; eventSource?: string; eventSourceARN?: string }[];
}

/** Options of a redrive handler. */
export interface RedriveHandlerOptions extends FunctionOptions, TelemetryOption {
  /** Where to read failed batches. Default: the table's stream and S3, in the function's region. */
  sources?: FailureSources | undefined;
  /**
   * The table's stream, for reconciling unclaimed records and, in a watch, detecting a replaced stream. Default:
   * neither.
   */
  stream?: StreamSource | undefined;
  /** The buckets that messages may name, unless `sources` is given. Default: none. */
  buckets?: readonly string[] | undefined;
  /** Sends the rest of a failed batch to its queue. Default: through SQS, in the queue's region. */
  sendRest?: SendMessage | undefined;
}

/** The response of a redrive: counts, and for a queue the messages to deliver again. */
export type RedriveResponse = Omit<RedriveResult, 'reasons'> &
  StreamResponse & {
    /** Unclaimed stream records that were reconciled. */
    swept: number;
  };

/** A Lambda handler that reconciles records that could not be projected. */
export type RedriveHandler = (event: RedriveEvent, context: InvocationContext) => Promise<RedriveResponse>;

const RESERVE_MS = 5_000;

/**
 * Makes the handler that reconciles what could not be projected: the quarantine and unclaimed records on a schedule,
 * and failed batches from an on-failure queue, whose mapping needs `ReportBatchItemFailures`. If time runs out within a
 * batch, it sends a message for the rest to the queue.
 *
 * @example
 * export const handler = redriveHandler(graph);
 */
export function redriveHandler(graph: CompiledModel, options: RedriveHandlerOptions = {}): RedriveHandler {
  const own = { sources: true, stream: true, buckets: true, sendRest: 'function', telemetry: true } as const;
  checkOptions('redriveHandler', options, { ...FUNCTION_OPTIONS, ...own });
  const { store, client, now, emit, logger: rootLogger } = functionParts(graph, options, 1);
  const sources = options.sources ?? {
    streams: deferredStreams(functionClientOptions()),
    ...bucketAccess({}),
    buckets: options.buckets,
  };
  const { sendRest = sendToQueue } = options;
  return async (event, context) => {
    const logger = rootLogger.child({ requestId: context.awsRequestId });
    const { Records, watch, ended } = (event as RedriveEvent | null) ?? {};
    const isOfQueue = Records !== undefined;
    if (!isOfQueue) checkEvent('redrive', event ?? {});
    const { timeoutMs, reserveMs: keptMs, remainingMs } = timeOfCall(context, RESERVE_MS);
    const run: RedriveOptions = { store, remainingMs, now: options.now, telemetry: options.telemetry };
    const ofTable = { client: options.store === undefined ? client : undefined, now: options.now };
    const watched: WatchedTable = { graph, store, ...ofTable, logger, remainingMs };
    if (watch === true) {
      await emitRegistry(watched);
      const isReplaced = options.stream && (await isStreamReplaced(watched, options.stream.streamArn));
      if (isReplaced !== undefined) emit({ StreamReplaced: isReplaced ? 1 : 0 });
      return answerOf(emptyRedrive());
    }
    if (ended === true) {
      const { deleted, left } = await deleteEnded(graph, { store, remainingMs });
      if (deleted > 0 || left) logger.info({ deleted, left }, 'edges that are over');
      return answerOf(emptyRedrive());
    }
    if (isOfQueue) {
      const messages = recordsOf(event, 'queue');
      const { result, failed } = await redriveMessages(messages, { ...run, graph, sources, sendRest, logger });
      report(result, logger);
      return answerOf(result, { failed });
    }
    // Keeps half of the time for the sweep, because entries that keep failing could take all of it.
    const sweepMs = options.stream === undefined ? 0 : (timeoutMs - keptMs) / 2;
    const result = await redrive(graph, { ...run, remainingMs: () => remainingMs() - sweepMs });
    report(result, logger);
    let swept = 0;
    try {
      // Sweeps after the redrive, because a stream that cannot be read fails the call.
      if (options.stream) swept = await sweepStream({ ...run, graph }, options.stream, logger);
    } finally {
      // Last, so that a failing read doesn't prevent the work; in `finally`, because an alarm rings when these metrics
      // stop.
      emit({ CheckAgeSeconds: await checkAgeSeconds({ table: graph.table, store, stats: { rcu: 0 } }, now()) });
      await emitRegistry(watched);
    }
    return answerOf(result, { swept });
  };

  async function emitRegistry(watched: WatchedTable): Promise<void> {
    const { isManaged, open } = await registeredState(watched);
    emit({ Unmanaged: isManaged ? 0 : 1, MigrationOpen: open });
  }

  function report({ reasons, ...counts }: RedriveResult, logger: FunctionLogger): void {
    const { entries, repaired, left, quarantined } = counts;
    emit({
      ...{ RedriveEntries: entries, RedriveRepaired: repaired, RedriveLeft: left, RedriveQuarantined: quarantined },
    });
    for (const reason of reasons) logger.warn({ reason }, 'not reconciled');
    logger.info(counts, 'redriven');
  }
}

function answerOf(
  { reasons: _, ...counts }: RedriveResult,
  { swept = 0, failed = [] }: { swept?: number; failed?: readonly string[] } = {},
): RedriveResponse {
  return { ...counts, swept, batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function sweepStream(
  run: OfGraph<RedriveOptions>,
  source: StreamSource,
  logger: FunctionLogger,
): Promise<number> {
  const result = await sweepInTurn({ ...run, source });
  if (result === undefined) return 0;
  const { reasons, repaired, left } = result;
  for (const reason of reasons) logger.warn({ reason }, 'not reconciled');
  if (repaired + left > 0) logger.info({ swept: repaired, left }, 'records that no consumer had claimed');
  return repaired;
}

async function redriveMessages(
  messages: NonNullable<RedriveEvent['Records']>,
  {
    sources,
    sendRest,
    logger,
    ...options
  }: OfGraph<RedriveOptions> & { sources: FailureSources; sendRest: SendMessage; logger: FunctionLogger },
): Promise<{ result: RedriveResult; failed: string[] }> {
  const total = emptyRedrive();
  const failed: string[] = [];
  for (const { messageId, body, eventSourceARN } of messages) {
    if ((options.remainingMs?.() ?? 1) <= 0) {
      failed.push(messageId);
      continue;
    }
    const result = await tryRedriveMessage(messageId, body, sources, options);
    addRedrive(total, result);
    const { entries, repaired, left } = result;
    logger.info({ messageId, entries, repaired, left }, 'failed batch');
    if (left === 0) continue;
    // A new message for the rest starts with a receive count of zero.
    const isSent =
      repaired > 0 && eventSourceARN !== undefined && (await trySend(eventSourceARN, messageOfRest(body, repaired)));
    if (!isSent) failed.push(messageId);
  }
  return { result: total, failed };

  /** If sending fails, SQS delivers the original message again. */
  async function trySend(queueArn: string, rest: string): Promise<boolean> {
    try {
      await sendRest(queueArn, rest);
      return true;
    } catch (error) {
      logger.error({ error: messageOf(error) }, 'the rest of a batch was not sent');
      return false;
    }
  }
}
