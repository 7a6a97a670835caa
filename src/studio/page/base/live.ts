import { useEffect, useState } from 'preact/hooks';
import { applyWatchEvent, type WatchEvent } from '../../../client/feed/watch-types.ts';
import { addressOf, type PlaceParameters } from './address.ts';
import { type Failure, parseExact } from './ask.ts';
import { keptToken } from './token.ts';

/** A row of a list that moves. */
export interface LiveRow<T> {
  /** Stays with the row as long as it is in the list. */
  key: number;
  item: T;
  /** Whether it came in while one looked. */
  isFresh: boolean;
}

/** A list that moves. */
export interface Live<T> {
  /** Undefined before the first events. */
  rows?: readonly LiveRow<T>[];
  /** Whether it moves now. */
  isLive: boolean;
  /** Why it does not move, and will not. */
  failure?: string;
}

/** Rows of a first page, where its place does not say how many. */
export const FIRST_ROWS = '50';
/** Milliseconds until another try after a connection that has ended. */
const LATER_MS = 5_000;
const STILL: Live<never> = { isLive: false };
let newestKey = 0;

/**
 * Follows the beginning of a list while the page is in front.
 *
 * @param parameters those of `/api/query`; undefined follows nothing.
 */
export function useLive<T>(parameters: PlaceParameters | undefined): Live<T> {
  const address = parameters && addressOf('/api/watch', parameters);
  const [state, setState] = useState<{ address?: string; live: Live<T> }>({ live: STILL });
  useEffect(() => {
    if (address === undefined) return;
    const show = (live: Live<T>): void => setState({ address, live });
    let leaving = new AbortController();
    const begin = (): void => {
      leaving.abort();
      leaving = new AbortController();
      if (!document.hidden) void follow(address, leaving.signal, show);
    };
    begin();
    document.addEventListener('visibilitychange', begin);
    return () => {
      document.removeEventListener('visibilitychange', begin);
      leaving.abort();
    };
  }, [address]);
  return state.address === address ? state.live : STILL;
}

async function follow<T>(address: string, signal: AbortSignal, show: (live: Live<T>) => void): Promise<void> {
  let rows: LiveRow<T>[] | undefined;
  const shown = (): Pick<Live<T>, 'rows'> => (rows === undefined ? {} : { rows });
  while (!signal.aborted) {
    try {
      const headers = { 'x-edgeloom-studio': keptToken() };
      const response = await fetch(address, { headers, credentials: 'omit', signal });
      if (!response.ok || response.body === null) {
        const { error } = parseExact(await response.text()) as { error?: Failure };
        show({ ...shown(), isLive: false, failure: error?.message ?? `The studio answered ${response.status}.` });
        return;
      }
      for await (const event of eventsOf<T>(response.body)) {
        const next = [...(rows ?? [])];
        applyWatchEvent(next, rowEvent(event, next));
        rows = next;
        show({ rows, isLive: true });
      }
    } catch {
      // The page has gone on, or the studio does not answer: it is asked again.
    }
    if (signal.aborted) return;
    show({ ...shown(), isLive: false });
    await new Promise((resolve) => setTimeout(resolve, LATER_MS));
  }
}

/** The events of a stream, until it ends or says why. A browser's EventSource cannot send the token. */
async function* eventsOf<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<WatchEvent<T>> {
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader() as ReadableStreamDefaultReader<string>;
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      if (/^event: failure$/m.test(block)) return;
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (data !== undefined) yield parseExact(data) as WatchEvent<T>;
    }
  }
}

/** The same event, of rows that have keys. `before`: the rows that it comes upon. */
function rowEvent<T>(event: WatchEvent<T>, before: readonly LiveRow<T>[]): WatchEvent<LiveRow<T>> {
  const newRow = (item: T, isFresh: boolean): LiveRow<T> => {
    newestKey += 1;
    return { key: newestKey, item, isFresh };
  };
  if (event.type === 'resync') return event;
  if (event.type === 'page') return { ...event, items: event.items.map((item) => newRow(item, false)) };
  if (event.type === 'enter') return { ...event, item: newRow(event.item, true) };
  return { ...event, item: { ...before[event.at]!, item: event.item } };
}
