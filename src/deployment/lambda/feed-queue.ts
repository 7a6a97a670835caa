import { createHash } from 'node:crypto';
import type { FeedChange, FeedEvent } from '../../client/feed/feed-change.ts';
import type { TakeEvents } from '../../client/feed/feeder.ts';
import { isRetryableStoreError, StoreError } from '../../foundation/errors.ts';
import { toJson } from '../../foundation/exact-json.ts';
import { countText } from '../../foundation/figure.ts';
import { retrying } from '../../foundation/retry.ts';
import type { RuntimeOptions } from '../../foundation/runtime.ts';
import type { CallService } from '../../store/client/json-service.ts';

/** The queue of the feed: events wait in it for the function that puts them to EventBridge. */

/** Bytes of an event, of a message, and of all messages of a call. SQS and EventBridge take 262,144. */
export const MOST_EVENT_BYTES = 200_000;
const [MOST_MESSAGE_BYTES, MOST_CALL_BYTES] = [220_000, 250_000];
/** Messages of a call: the maximum of SQS. */
const MOST_MESSAGES = 10;
/** The groups of a FIFO queue: those of one group wait for each other, as the changes of one item do. */
const GROUPS = 16;
/** Tries of a call before the run ends; the next run begins where the saved state is. */
const MOST_TRIES = 6;

/** A message of the queue. */
interface Message {
  group: string;
  body: string;
}

/** Returns a function that puts events into a FIFO queue, in the order of each item. It returns once SQS has taken all of them. @internal */
export function feedQueue(
  queueUrl: string,
  call: CallService,
  runtime: Pick<RuntimeOptions, 'wait' | 'random'>,
): TakeEvents {
  return async (events) => {
    for (const messages of callsOf(messagesOf(events))) {
      const waiting = new Map(messages.map((message, i) => [String(i), message]));
      await retrying(() => sendAll(call, queueUrl, waiting), {
        ...runtime,
        isRetryable: (error, tries) => isRetryableStoreError(error) && tries < MOST_TRIES,
      });
    }
  };
}

/** Returns a function that puts an event into a FIFO queue for those that nobody takes, as its own message of a group. @internal */
export function feedDeadLetters(
  queueUrl: string,
  call: CallService,
  runtime: Pick<RuntimeOptions, 'wait' | 'random'>,
): (event: QueuedEvent, group: string) => Promise<void> {
  return async ({ text }, group) => {
    const waiting = new Map([['0', { group, body: text }]]);
    await retrying(() => sendAll(call, queueUrl, waiting), {
      ...runtime,
      isRetryable: (error, tries) => isRetryableStoreError(error) && tries < MOST_TRIES,
    });
  };
}

/** Sends messages; those that were taken leave the map. Throws where some were not. */
async function sendAll(call: CallService, QueueUrl: string, waiting: Map<string, Message>): Promise<void> {
  const Entries = [...waiting].map(([Id, { group, body }]) => ({
    ...{ Id, MessageBody: body, MessageGroupId: group },
    // The same events after a crash: SQS takes them once in five minutes.
    MessageDeduplicationId: createHash('sha256').update(body).digest('hex'),
  }));
  const { Successful, Failed } = (await call('SendMessageBatch', { QueueUrl, Entries })) as {
    Successful?: { Id: string }[];
    Failed?: { Id: string; Code?: string; SenderFault?: boolean }[];
  };
  for (const { Id } of Successful ?? []) waiting.delete(Id);
  if (waiting.size === 0) return;
  const refused = Failed?.find(({ SenderFault }) => SenderFault === true);
  const code = (refused ?? Failed?.[0])?.Code ?? 'no reason';
  const message = `The queue of the feed did not take ${countText(waiting.size, 'message')}: ${code}.`;
  throw new StoreError(refused === undefined ? 'retryable' : 'fatal', code, message);
}

/** Events as messages, each with as many events of one group as it has room for. */
function messagesOf(events: readonly FeedEvent[]): Message[] {
  const messages: Message[] = [];
  const open = new Map<string, { texts: string[]; bytes: number }>();
  const close = (group: string): void => {
    const { texts } = open.get(group)!;
    messages.push({ group, body: texts.join('\n') });
    open.delete(group);
  };
  for (const event of events) {
    const group = groupOf(event);
    const text = textOfEvent(event);
    const bytes = Buffer.byteLength(text) + 1;
    if ((open.get(group)?.bytes ?? 0) + bytes > MOST_MESSAGE_BYTES) close(group);
    const { texts, bytes: before } = open.get(group) ?? { texts: [], bytes: 2 };
    texts.push(text);
    open.set(group, { texts, bytes: before + bytes });
  }
  for (const group of [...open.keys()]) close(group);
  return messages;
}

/** The calls that send messages. No call has two messages of a group: a message that is refused must not be passed by the next one. */
function callsOf(messages: readonly Message[]): Message[][] {
  const calls: { messages: Message[]; groups: Set<string>; bytes: number }[] = [];
  const lastOf = new Map<string, number>();
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.body);
    let at = (lastOf.get(message.group) ?? -1) + 1;
    for (; at < calls.length; at++) {
      const { messages: others, bytes: before } = calls[at]!;
      if (others.length < MOST_MESSAGES && before + bytes <= MOST_CALL_BYTES) break;
    }
    calls[at] ??= { messages: [], groups: new Set(), bytes: 0 };
    calls[at]!.messages.push(message);
    calls[at]!.bytes += bytes;
    lastOf.set(message.group, at);
  }
  return calls.map(({ messages: ofCall }) => ofCall);
}

/** The changes of an item have one group, whatever shard of the stream they come from. */
function groupOf(event: FeedEvent): string {
  if (event.kind === 'resync') return 'resync';
  return `items-${createHash('sha256').update(event.item).digest()[0]! % GROUPS}`;
}

/** An event as JSON, without its contents where it has no room for them. */
function textOfEvent(event: FeedEvent): string {
  const text = sendableJson(event);
  if (Buffer.byteLength(text) <= MOST_EVENT_BYTES || event.kind === 'resync') return text;
  return sendableJson(truncatedChange(event));
}

/** JSON without the two characters that SQS refuses; control characters have escapes in any JSON. */
function sendableJson(value: object): string {
  return toJson(value).replace(/[\uFFFE\uFFFF]/g, (character) => (character === '\uFFFE' ? '\\ufffe' : '\\uffff'));
}

/** A change without its contents. Keys have at most 3 KB: there is room for the rest. */
function truncatedChange(change: FeedChange): object {
  const { attributes, ...rest } = change;
  const whole = { ...rest, attributes: attributes === null ? null : {}, truncated: true as const };
  if (whole.kind === 'search') return { ...whole, value: null };
  if (whole.kind !== 'view') return whole;
  const { left: _left, entered: _entered, ...view } = whole;
  return view;
}

/** An event in a message: its JSON as it was written, in which no number has lost a digit. */
export interface QueuedEvent {
  kind: FeedEvent['kind'];
  /** The item that has changed; of a resync a name that no item has. */
  item: string;
  text: string;
}

/** The events of a message; undefined where it holds something else. */
export function eventsOfMessage(body: string): QueuedEvent[] | undefined {
  const events: QueuedEvent[] = [];
  for (const text of body.split('\n')) {
    const { kind, item = 'resync' } = parsedEvent(text);
    if (typeof kind !== 'string' || typeof item !== 'string') return undefined;
    events.push({ kind: kind as FeedEvent['kind'], item, text });
  }
  return events;
}

function parsedEvent(text: string): { kind?: unknown; item?: unknown } {
  try {
    return Object(JSON.parse(text)) as { kind?: unknown };
  } catch {
    return {};
  }
}
