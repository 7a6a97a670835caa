import { isRetryableStoreError, StoreError } from '../../foundation/errors.ts';
import { countText } from '../../foundation/figure.ts';
import { retrying } from '../../foundation/retry.ts';
import type { RuntimeOptions } from '../../foundation/runtime.ts';
import type { CallService } from '../../store/client/json-service.ts';
import type { QueuedEvent } from './feed-queue.ts';

/** Entries of a call, and their bytes: the maximum of EventBridge is 10, and 262,144. */
const [MOST_ENTRIES, MOST_BYTES] = [10, 250_000];
/** Tries of a call; then the queue keeps the message, and gives it again later. */
const MOST_TRIES = 8;
/** The source of the events. */
const SOURCE = 'edgeloom';

/** Codes of entries that EventBridge takes at no later time either. With other codes, such as that of a bus which is missing, the event can wait. */
const REFUSED_FOR_EVER = new Set(['InvalidArgument', 'MalformedDetail', 'RedactionFailure']);

/** Where events go. */
export interface EventBus {
  /** The name or the ARN of the event bus. */
  bus: string;
  /** The table that they are about, as a resource of each event. */
  table: string;
  call: CallService;
}

/**
 * Puts events to EventBridge, those of each item one after the other. Entries that are not taken are put again before any other. Throws where
 * some are not taken after all tries, or the time is over; those before them are.
 *
 * @param giveUp takes an event that is refused for ever, with the code; the others go on.
 *
 * @internal
 */
export async function putEvents(
  events: readonly QueuedEvent[],
  { bus, table, call }: EventBus,
  runtime: Pick<RuntimeOptions, 'wait' | 'random' | 'remainingMs'>,
  giveUp: (event: QueuedEvent, code: string) => Promise<void>,
): Promise<void> {
  const entryOf = ({ kind, text }: QueuedEvent) => ({
    ...{ Source: SOURCE, DetailType: kind, Detail: text, EventBusName: bus },
    Resources: [table],
  });
  for (const chunk of chunksOf(events)) {
    if ((runtime.remainingMs?.() ?? 1) <= 0) throw new Error('no time is left');
    let waiting = [...chunk];
    await retrying(
      async () => {
        const { Entries = [] } = (await call('PutEvents', { Entries: waiting.map(entryOf) })) as {
          Entries?: { EventId?: string; ErrorCode?: string }[];
        };
        const codes = Entries.map(({ EventId, ErrorCode }) =>
          EventId === undefined ? (ErrorCode ?? 'no id') : undefined,
        );
        for (const [i, code] of codes.entries()) {
          if (code !== undefined && REFUSED_FOR_EVER.has(code)) await giveUp(waiting[i]!, code);
        }
        waiting = waiting.filter((_, i) => i >= codes.length || isToBePutAgain(codes[i]));
        if (waiting.length === 0) return;
        const code = codes.find(isToBePutAgain) ?? 'no answer';
        throw new StoreError(
          'retryable',
          code,
          `EventBridge did not take ${countText(waiting.length, 'event')}: ${code}.`,
        );
      },
      { ...runtime, isRetryable: (error, tries) => isRetryableStoreError(error) && tries < MOST_TRIES },
    );
  }
}

function isToBePutAgain(code: string | undefined): boolean {
  return code !== undefined && !REFUSED_FOR_EVER.has(code);
}

/** Events as calls take them. No call has two of an item: one that is refused must not be passed by the next one. */
function chunksOf(events: readonly QueuedEvent[]): QueuedEvent[][] {
  const chunks: QueuedEvent[][] = [];
  let items = new Set<string>();
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(event.text) + 500;
    const last = chunks.at(-1);
    if (last === undefined || last.length === MOST_ENTRIES || items.has(event.item) || bytes + size > MOST_BYTES) {
      chunks.push([event]);
      items = new Set();
      bytes = 0;
    } else last.push(event);
    items.add(event.item);
    bytes += size;
  }
  return chunks;
}
