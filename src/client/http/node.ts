import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Answers a request of Node's http server with a handler of Requests, such as that of `watchHandler`, and resolves when the answer has ended or the
 * client is gone. The Request has method, path and headers, no body, and the host `localhost` in its address; its signal is aborted when the
 * client goes. A request whose Host is no name, or whose address has another host, gets the status 400. Headers that were set on the response
 * stay. Rejects with the error of the handler, before anything is sent; an answer that breaks off later ends the connection.
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
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) {
    outgoing.end();
    return;
  }
  // The pipeline ends the connection where it fails, and whoever calls cannot answer any more.
  await pipeline(Readable.fromWeb(answer.body as import('node:stream/web').ReadableStream), outgoing).catch(
    () => undefined,
  );
}

const MALFORMED = 'Ask for a path, with the name of this server as Host.\n';
/** A name or an address, and perhaps a port. */
const HOST = /^(?:[\w.~-]{1,255}|\[[\dA-Fa-f:.]{1,45}\])(?::\d{1,5})?$/;

/** The Request; undefined where host or address are none. No header decides its address: a hook that authorises sees the path that was sent. */
function requestOf({ url = '', method, headers }: IncomingMessage, signal: AbortSignal): Request | undefined {
  // An address with a host of its own, or none at all as in OPTIONS *.
  if (!url.startsWith('/')) return undefined;
  if (headers.host !== undefined && !HOST.test(headers.host)) return undefined;
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // Headers of HTTP/2 that say method and address begin with a colon.
    if (!name.startsWith(':')) for (const one of [value ?? []].flat()) copied.append(name, one);
  }
  return new Request(`http://localhost${url}`, {
    ...(method !== undefined && { method }),
    headers: copied,
    signal,
  });
}
