import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Answers a request of Node's HTTP server with a handler such as `watchHandler` returns. Resolves when the response has
 * ended or the client has disconnected, which aborts the Request's signal. The Request has no body, and its host is
 * `localhost`. An invalid Host header, or a URL that isn't a path, gets status 400. Rejects with the handler's error
 * before anything is sent.
 *
 * @example
 * createServer((request, response) => {
 *   answerNodeRequest(handle, request, response).catch(() => response.writeHead(500).end());
 * });
 */
export async function answerNodeRequest(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort(new Error('The client is gone.')));
  const request = requestOf(incoming, gone.signal);
  const answer = request === undefined ? new Response(MALFORMED, { status: 400 }) : await handle(request);
  if (gone.signal.aborted) {
    await answer.body?.cancel().catch(() => undefined);
    return;
  }
  outgoing.writeHead(answer.status, headersOf(answer.headers));
  if (answer.body === null) {
    outgoing.end();
    return;
  }
  // The response has begun, so the caller couldn't send an error.
  await pipeline(Readable.fromWeb(answer.body as import('node:stream/web').ReadableStream), outgoing).catch(
    () => undefined,
  );
}

/** Each cookie needs its own header. `Headers` has already joined the values of other headers. */
function headersOf(headers: Headers): OutgoingHttpHeaders {
  const cookies = [...headers].flatMap(([name, value]) => (name === 'set-cookie' ? [value] : []));
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) };
}

const MALFORMED = 'Ask for a path, with the name of this server as Host.\n';
const HOST = /^(?:[\w.~-]{1,255}|\[[\dA-Fa-f:.]{1,45}\])(?::\d{1,5})?$/;

/** Leaves the Host header out of the URL, so that an authorization hook sees the path that the client sent. */
function requestOf({ url = '', method, headers }: IncomingMessage, signal: AbortSignal): Request | undefined {
  // The client sent an absolute URL or, as in OPTIONS *, none.
  if (!url.startsWith('/')) return undefined;
  if (headers.host !== undefined && !HOST.test(headers.host)) return undefined;
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // HTTP/2 passes method and path as headers that begin with a colon.
    if (!name.startsWith(':')) for (const one of [value ?? []].flat()) copied.append(name, one);
  }
  return new Request(`http://localhost${url}`, {
    ...(method !== undefined && { method }),
    headers: copied,
    signal,
  });
}
