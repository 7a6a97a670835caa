import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CompiledModel, OfGraph } from '../../core/model/compiled.ts';
import type { ScanSource, Store } from '../../core/store-port.ts';
import type { TelemetryOption } from '../../core/telemetry.ts';
import { checkOptions, type OptionNames } from '../../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { deleteEnded } from '../../projecting/ended/delete-ended.ts';
import { deferredCalls, deferredStreams } from '../../store/client/deferred.ts';
import { DynamoDBStore } from '../../store/dynamodb.ts';
import { checkAgeSeconds } from '../../stream/progress/last-check.ts';
import type { StreamSource } from '../../stream/source.ts';
import type { SendMessage } from '../../trust/failures/failure-message.ts';
import {
  bucketAccess,
  type FailureSources,
  messageOfRest,
  queueSender,
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
import { timeOfCall } from './call-time.ts';
import { recordsOf } from './event-records.ts';
import { checkEvent } from './events.ts';
import { type FunctionLogger, functionLogger } from './function-logger.ts';
import { metricsOf } from './metrics.ts';
import { functionClientOptions } from './settings.ts';
import type { InvocationContext, StreamResponse } from './stream-handler.ts';
import { isStreamReplaced, registeredState, type WatchedTable } from './table-watch.ts';

/** The part of an event that is used. An event with none of these asks for a redrive of the quarantine; other fields are refused. */
export interface RedriveEvent {
  /** Looks at the table alone: whether it has a registry, and which stream. */
  watch?: boolean;
  /** Only deletes edges that are over and counted: see `deleteEnded`. */
  ended?: boolean;
  /** Messages of SQS. */
  Records?: { messageId: string; body: string; eventSource?: string; eventSourceARN?: string }[];
}

/** Options of a redrive handler. */
export interface RedriveHandlerOptions extends TelemetryOption {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** Client to read and write with. Default: one for the function's own region, kept for the function's life. */
  client?: DynamoDBClient | undefined;
  /** The table, instead of `client`. */
  store?: (Store & ScanSource) | undefined;
  /** Where failed batches are read from. Default: the table's stream and S3, in the function's own region. */
  sources?: FailureSources | undefined;
  /** The table's stream: on a schedule its unclaimed records are reconciled, and a watch says whether it is the stream still. Default: neither. */
  stream?: StreamSource | undefined;
  /** The buckets that messages may name, where `sources` is left to the default. Default: none. */
  buckets?: readonly string[] | undefined;
  /** Sends what is left of a failed batch to the queue that told of it. Default: by SQS, in the function's own region. */
  sendRest?: SendMessage | undefined;
  /** Milliseconds before the function's timeout at which no more entries are begun; at most half of a call's time. Default 5,000. */
  reserveMs?: number | undefined;
  /** A pino logger, or anything like it. Default: JSON lines on stdout, level `info`. */
  logger?: FunctionLogger | undefined;
}

/** The answer of a redrive: counts, and for a queue the messages to deliver again. */
export type RedriveResponse = Omit<RedriveResult, 'reasons'> &
  StreamResponse & {
    /** Unclaimed records of the stream that were reconciled. */
    swept: number;
  };

/** A Lambda handler that reconciles records that could not be projected. */
export type RedriveHandler = (event: RedriveEvent, context: InvocationContext) => Promise<RedriveResponse>;

const OPTIONS: OptionNames<RedriveHandlerOptions> = {
  client: true,
  store: true,
  sources: true,
  stream: true,
  buckets: true,
  sendRest: true,
  reserveMs: true,
  logger: true,
  telemetry: true,
  now: true,
};

const RESERVE_MS = 5_000;

/**
 * Makes the handler that reconciles records that could not be projected with their base items: on a schedule everything in
 * quarantine and all unclaimed records, and as the consumer of an on-failure destination's queue the batches that its messages name. Calls of a
 * schedule register a table that is empty and has no registry. Where the
 * time of an invocation ends within a batch, a message for its rest goes to the queue, so that the next one begins there.
 * Messages without any success are delivered again; the queue needs `ReportBatchItemFailures`.
 *
 * @example
 * export const handler = redriveHandler(graph);
 */
export function redriveHandler(graph: CompiledModel, options: RedriveHandlerOptions = {}): RedriveHandler {
  checkOptions('redriveHandler', options, OPTIONS);
  const { reserveMs = RESERVE_MS } = options;
  const clientOptions = functionClientOptions();
  const calls = options.client ?? deferredCalls({ ...clientOptions, maxAttempts: 1 });
  const store = options.store ?? new DynamoDBStore(calls, graph.table);
  const openClient = async (): Promise<DynamoDBClient> => ('callOnce' in calls ? await calls.client() : calls);
  const sources = options.sources ?? {
    streams: deferredStreams(clientOptions),
    ...bucketAccess({}),
    buckets: options.buckets,
  };
  const sendRest = options.sendRest ?? queueSender({});
  const emit = metricsOf(graph.table.name);
  const rootLogger = options.logger ?? functionLogger('info');
  const emitRegistry = async (watched: WatchedTable): Promise<void> => {
    const { isManaged, open } = await registeredState(watched);
    emit({ Unmanaged: isManaged ? 0 : 1, MigrationOpen: open });
  };
  const emitStates = async (watched: WatchedTable): Promise<void> => {
    const nowMs = runtimeOf(options).now();
    // Only calls of the schedule emit them, so that they stop with the schedule.
    emit({ CheckAgeSeconds: await checkAgeSeconds({ table: graph.table, store, stats: { rcu: 0 } }, nowMs) });
    await emitRegistry(watched);
  };
  return async (event, context) => {
    const logger = rootLogger.child({ requestId: context.awsRequestId });
    const isOfQueue = (event as RedriveEvent | null)?.Records !== undefined;
    if (!isOfQueue) checkEvent('redrive', event ?? {});
    const { timeoutMs, reserveMs: keptMs, remainingMs } = timeOfCall(context, reserveMs);
    const run: RedriveOptions = { store, remainingMs, now: options.now, telemetry: options.telemetry };
    const client = options.store === undefined ? openClient : undefined;
    const watched: WatchedTable = { graph, store, client, logger, now: options.now, remainingMs };
    if ((event as RedriveEvent | null)?.watch === true) {
      await emitRegistry(watched);
      const isReplaced = options.stream && (await isStreamReplaced(watched, options.stream.streamArn));
      if (isReplaced !== undefined) emit({ StreamReplaced: isReplaced ? 1 : 0 });
      const { reasons: _, ...none } = emptyRedrive();
      return { ...none, swept: 0, batchItemFailures: [] };
    }
    if ((event as RedriveEvent | null)?.ended === true) {
      const { deleted, left } = await deleteEnded(graph, { store, remainingMs });
      if (deleted > 0 || left) logger.info({ deleted, left }, 'edges that are over');
      const { reasons: _, ...none } = emptyRedrive();
      return { ...none, swept: 0, batchItemFailures: [] };
    }
    const messages = isOfQueue ? recordsOf(event, 'queue') : undefined;
    // Entries whose cause remains take any time there is: the sweep has half of it.
    const sweepMs = options.stream === undefined ? 0 : (timeoutMs - keptMs) / 2;
    const { result, failed } =
      messages === undefined
        ? { result: await redrive(graph, { ...run, remainingMs: () => remainingMs() - sweepMs }), failed: [] }
        : await redriveMessages(messages, { ...run, graph, sources, sendRest, logger });
    const { reasons, ...counts } = result;
    const { entries, repaired, left, quarantined } = counts;
    emit({
      ...{ RedriveEntries: entries, RedriveRepaired: repaired, RedriveLeft: left, RedriveQuarantined: quarantined },
    });
    for (const reason of reasons) logger.warn({ reason }, 'not reconciled');
    logger.info(counts, 'redriven');
    let swept = 0;
    try {
      // After the quarantine: a stream that cannot be read fails the call only after the entries are reconciled.
      if (messages === undefined && options.stream)
        swept = await sweepStream({ ...run, graph }, options.stream, logger);
    } finally {
      // At the end: a read that fails here must not keep the call from its work.
      if (messages === undefined) await emitStates(watched);
    }
    return { ...counts, swept, batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
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
  { sources, sendRest, logger, ...options }: MessagesOptions,
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
    // Some of its records are reconciled: a message for the rest keeps the place, with a receive count of its own.
    const isSent =
      repaired > 0 && eventSourceARN !== undefined && (await trySend(eventSourceARN, messageOfRest(body, repaired)));
    if (!isSent) failed.push(messageId);
  }
  return { result: total, failed };

  /** False where the message cannot be sent; nothing is lost, as the original message is then delivered again. */
  async function trySend(queueArn: string, rest: string): Promise<boolean> {
    try {
      await sendRest(queueArn, rest);
      return true;
    } catch (error) {
      logger.error(
        { error: error instanceof Error ? error.message : String(error) },
        'the rest of a batch was not sent',
      );
      return false;
    }
  }
}

interface MessagesOptions extends OfGraph<RedriveOptions> {
  sources: FailureSources;
  sendRest: SendMessage;
  logger: FunctionLogger;
}
