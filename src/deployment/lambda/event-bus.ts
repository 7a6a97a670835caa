import { StoreError } from '../../foundation/errors.ts';
import { countText } from '../../foundation/figure.ts';
import { retryableUpTo, retrying } from '../../foundation/retry.ts';
import type { RuntimeOptions } from '../../foundation/runtime.ts';
import type { CallService } from '../../store/client/json-service.ts';
import type { QueuedEvent } from './feed-queue.ts';

/** EventBridge accepts 10 entries per call. The bytes stay below the 262,144 that it accepted until 2026. */
const [MOST_ENTRIES, MOST_BYTES] = [10, 250_000];
/** After the last try, the queue delivers the message again. */
const MOST_TRIES = 8;
const SOURCE = 'edgeloom';

/**
 * Codes of entries that EventBridge will never accept. Entries with other codes may succeed later, for example once a
 * missing bus exists.
 */
const REFUSED_FOR_EVER = new Set(['InvalidArgument', 'MalformedDetail', 'RedactionFailure']);

export interface EventBus {
  /** A name or an ARN. */
  bus: string;
  /** The table's ARN, listed as a resource of each event. */
  table: string;
  call: CallService;
}

/**
 * Retries refused events before it sends later ones, to keep each item's events in order. Throws if events are still
 * refused after all tries, or if no time is left; earlier events have then been sent.
 *
 * @param giveUp receives an event that EventBridge will never accept, with the code; the others are still sent.
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
      { ...runtime, isRetryable: retryableUpTo(MOST_TRIES) },
    );
  }
}

function isToBePutAgain(code: string | undefined): boolean {
  return code !== undefined && !REFUSED_FOR_EVER.has(code);
}

/** Separates an item's events, because within a call a later one could succeed although an earlier one fails. */
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
