import { type Failure, parseExact } from './ask.ts';
import { isLost, onConnection } from './connection.ts';
import { keptToken } from './token.ts';

/** True if something that is followed moves now. */
export interface Moving {
  isLive: boolean;
  /** Why it does not move, and will not. */
  failure?: string;
}

/** Milliseconds until another try after a connection that has ended. */
const LATER_MS = 5_000;

/**
 * Follows a stream of events while the page is in front, again and again where it ends. Returns how to stop.
 *
 * @param body of the request, which is a GET without one.
 */
export function followEvents<Event>(
  address: string,
  body: object | undefined,
  take: (event: Event) => void,
  tell: (moving: Moving) => void,
): () => void {
  let leaving = new AbortController();
  const begin = (): void => {
    leaving.abort();
    leaving = new AbortController();
    if (!document.hidden) void follow(address, body, leaving.signal, take, tell);
  };
  begin();
  document.addEventListener('visibilitychange', begin);
  const stopListening = onConnection(() => {
    if (!isLost()) begin();
  });
  return () => {
    stopListening();
    document.removeEventListener('visibilitychange', begin);
    leaving.abort();
  };
}

async function follow<Event>(
  address: string,
  body: object | undefined,
  signal: AbortSignal,
  take: (event: Event) => void,
  tell: (moving: Moving) => void,
): Promise<void> {
  const headers = { 'x-edgeloom-studio': keptToken() };
  const request: RequestInit =
    body === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': 'application/json' }, method: 'POST', body: JSON.stringify(body) };
  while (!signal.aborted) {
    try {
      const response = await fetch(address, { ...request, credentials: 'omit', signal });
      if (response.status >= 400 && response.status < 500) {
        const { error } = parseExact(await response.text()) as { error?: Failure };
        tell({ isLive: false, failure: error?.message ?? `The studio answered ${response.status}.` });
        return;
      }
      // Another failure is of the table, and passes.
      for await (const event of response.ok ? eventsOf<Event>(response.body!) : []) {
        take(event);
        tell({ isLive: true });
      }
    } catch {
      // The page has gone on, or the studio does not answer: it is asked again.
    }
    if (signal.aborted) return;
    tell({ isLive: false });
    await new Promise((resolve) => setTimeout(resolve, LATER_MS));
  }
}

/** The events of a stream, until it ends or says why. A browser's EventSource cannot send the token. */
async function* eventsOf<Event>(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
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
      if (data !== undefined) yield parseExact(data) as Event;
    }
  }
}
