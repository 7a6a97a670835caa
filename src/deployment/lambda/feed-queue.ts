import { createHash } from 'node:crypto';
import type { FeedChange, FeedEvent } from '../../client/feed/feed-change.ts';
import type { TakeEvents } from '../../client/feed/feeder.ts';
import { StoreError } from '../../foundation/errors.ts';
import { toJson } from '../../foundation/exact-json.ts';
import { countText } from '../../foundation/figure.ts';
import { retryableUpTo, retrying } from '../../foundation/retry.ts';
import type { RuntimeOptions } from '../../foundation/runtime.ts';
import type { CallService } from '../../store/client/json-service.ts';

/** The queue between the observer and the function that sends events to EventBridge. */

/**
 * Bytes of an event, of a message, and of all messages in a call. SQS and EventBridge accept 1 MiB, but some targets of
 * event buses, such as SNS topics, accept only 262,144 bytes.
 */
const MOST_EVENT_BYTES = 200_000;
const [MOST_MESSAGE_BYTES, MOST_CALL_BYTES] = [220_000, 250_000];
/** SQS's limit per call. */
const MOST_MESSAGES = 10;
const GROUPS = 16;
/** After the last try, the observer's next run sends the events again from its saved state. */
const MOST_TRIES = 6;

interface Message {
  group: string;
  body: string;
}

/** @internal */
export function feedQueue(
  queueUrl: string,
  call: CallService,
  runtime: Pick<RuntimeOptions, 'wait' | 'random'>,
): TakeEvents {
  return async (events) => {
    for (const messages of callsOf(messagesOf(events))) {
      const waiting = new Map(messages.map((message, i) => [String(i), message]));
      await sendRetrying(call, queueUrl, waiting, runtime);
    }
  };
}

/** @internal */
export function feedDeadLetters(
  queueUrl: string,
  call: CallService,
  runtime: Pick<RuntimeOptions, 'wait' | 'random'>,
): (event: QueuedEvent, group: string) => Promise<void> {
  return async ({ text }, group) => {
    const waiting = new Map([['0', { group, body: text }]]);
    await sendRetrying(call, queueUrl, waiting, runtime);
  };
}

async function sendRetrying(
  call: CallService,
  queueUrl: string,
  waiting: Map<string, Message>,
  runtime: Pick<RuntimeOptions, 'wait' | 'random'>,
): Promise<void> {
  await retrying(() => sendAll(call, queueUrl, waiting), { ...runtime, isRetryable: retryableUpTo(MOST_TRIES) });
}

/** Deletes accepted messages from `waiting`. Throws if any remain. */
async function sendAll(call: CallService, QueueUrl: string, waiting: Map<string, Message>): Promise<void> {
  const Entries = [...waiting].map(([Id, { group, body }]) => ({
    ...{ Id, MessageBody: body, MessageGroupId: group },
    // The same events may be sent again after a crash; SQS drops duplicates for five minutes.
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

/** Puts a group's messages into different calls: if the first were refused, the second would overtake it. */
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

/** Gives all changes of an item the same group, whichever stream shard they come from. */
function groupOf(event: FeedEvent): string {
  if (event.kind === 'resync') return 'resync';
  return `items-${createHash('sha256').update(event.item).digest()[0]! % GROUPS}`;
}

function textOfEvent(event: FeedEvent): string {
  const text = sendableJson(event);
  if (Buffer.byteLength(text) <= MOST_EVENT_BYTES || event.kind === 'resync') return text;
  return sendableJson(truncatedChange(event));
}

/** Escapes two characters that SQS refuses; JSON itself escapes control characters. */
function sendableJson(value: object): string {
  return toJson(value).replace(/[\uFFFE\uFFFF]/g, (character) => (character === '\uFFFE' ? '\\ufffe' : '\\uffff'));
}

/** The result always fits, since keys have at most 3 KB. */
function truncatedChange(change: FeedChange): object {
  const { attributes, ...rest } = change;
  const whole = { ...rest, attributes: attributes === null ? null : {}, truncated: true as const };
  if (whole.kind === 'search') return { ...whole, value: null };
  if (whole.kind !== 'view') return whole;
  const { left: _left, entered: _entered, ...view } = whole;
  return view;
}

/** An event in a message. `text` is its original JSON, because parsing loses digits of numbers. */
export interface QueuedEvent {
  kind: FeedEvent['kind'];
  /** The changed item; for a resync, a name that no item has. */
  item: string;
  text: string;
}

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
