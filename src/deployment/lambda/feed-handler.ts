import { messageOf } from '../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../foundation/options.ts';
import type { RuntimeOptions } from '../../foundation/runtime.ts';
import { type EventBus, putEvents } from './event-bus.ts';
import { recordsOf } from './event-records.ts';
import { eventsOfMessage, type QueuedEvent } from './feed-queue.ts';
import { functionLogger } from './function-logger.ts';
import { type FunctionOptions, type InvocationContext, timeOfCall } from './function-parts.ts';
import type { StreamResponse } from './stream-handler.ts';

/** The fields of Lambda's SQS event that the handler reads. */
export interface FeedQueueEvent {
  Records: { messageId: string; body: string; attributes?: { MessageGroupId?: string } }[];
}

export interface FeedHandlerOptions extends EventBus, Pick<FunctionOptions, 'logger'> {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** Receives each event that EventBridge will never accept, and the group of its message. */
  deadLetters: (event: QueuedEvent, group: string) => Promise<void>;
}

/** A Lambda handler that sends the feed's events to EventBridge. */
export type FeedHandler = (event: FeedQueueEvent, context: InvocationContext) => Promise<StreamResponse>;

const OPTIONS: OptionNames<FeedHandlerOptions> = {
  bus: true,
  table: true,
  call: 'function',
  deadLetters: 'function',
  logger: true,
  wait: 'internal',
  random: 'internal',
};

const RESERVE_MS = 10_000;

/**
 * The queue's mapping needs `ReportBatchItemFailures`: a message that was not fully sent is delivered again before the
 * rest of its group.
 */
export function feedHandler(options: FeedHandlerOptions): FeedHandler {
  checkOptions('feedHandler', options, OPTIONS);
  const { wait, random } = options;
  const rootLogger = options.logger ?? functionLogger('info');
  return async (event, context) => {
    const records = recordsOf(event, 'queue');
    const logger = rootLogger.child({ requestId: context.awsRequestId });
    const { remainingMs } = timeOfCall(context, RESERVE_MS);
    const held = new Set<string>();
    const batchItemFailures: StreamResponse['batchItemFailures'] = [];
    let [put, refused] = [0, 0];
    for (const { messageId, body, attributes } of records) {
      const group = attributes?.MessageGroupId ?? '';
      try {
        if (held.has(group)) throw new Error('a message before it waits');
        const events = eventsOfMessage(body);
        if (events === undefined) {
          // A message that isn't from the feed must not block its group.
          await options.deadLetters({ kind: 'resync', item: 'resync', text: body }, group);
          refused += 1;
          logger.warn({ messageId }, 'not of the feed');
          continue;
        }
        const refusedBefore = refused;
        await putEvents(events, options, { wait, random, remainingMs }, async (event, code) => {
          await options.deadLetters(event, group);
          refused += 1;
          logger.warn({ messageId, code }, 'refused for ever');
        });
        put += events.length - (refused - refusedBefore);
      } catch (error) {
        held.add(group);
        batchItemFailures.push({ itemIdentifier: messageId });
        logger.warn({ messageId, reason: messageOf(error) }, 'not put');
      }
    }
    logger.info({ put, refused, held: batchItemFailures.length }, 'fed');
    return { batchItemFailures };
  };
}
