import type { CompiledModel } from '../../core/model/compiled.ts';
import type { IndexedEdgeType, SearchName } from '../../core/model/inference.ts';
import type { ErrorCode } from '../../foundation/error-code.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { failureDocument } from '../../foundation/failure-document.ts';
import { checkOptions } from '../../foundation/options.ts';
import type { InboundOfWatch, SearchOfWatch, ViewsWatch, WatchQuery } from '../feed/watch.ts';
import type { WatchEvent } from '../feed/watch-types.ts';
import type { SearchPredicate } from '../read/lists/search-query.ts';
import type { Reader } from '../read/reader.ts';
import { ClientRoom } from './client-room.ts';
import { eventStream, RETRY_MS, type WatchFailure } from './event-stream.ts';

/** A query that `Reader.watch` accepts. */
export type WatchQueryOf<G extends CompiledModel> =
  | ({ inbound: readonly [string, IndexedEdgeType<G>] } & InboundOfWatch)
  | ({ search: SearchName<G> } & SearchPredicate & SearchOfWatch)
  | ViewsWatch;

/** Options of `watchHandler`. */
export interface WatchHandlerOptions<G extends CompiledModel = CompiledModel> {
  /** A reader with a `feed`. */
  reader: Reader<G>;
  /** Returns what a request may watch, or refuses it with a Response, such as one with status 401. */
  query: (request: Request) => WatchQueryOf<G> | Response | Promise<WatchQueryOf<G> | Response>;
  /** Milliseconds between comments that keep a quiet connection open. Default: 15,000. */
  heartbeatMs?: number | undefined;
  /**
   * Milliseconds after which a stream ends, so that the client reconnects and `query` decides again. Default: 900,000.
   */
  maxAgeMs?: number | undefined;
  /** Maximum number of concurrent clients; others get status 429. Default: 1,000. */
  maxClients?: number | undefined;
  /** Called with errors that the query didn't cause, of which clients see only the code. Default: a process warning. */
  onError?: ((error: unknown) => void) | undefined;
}

const HEARTBEAT_MS = 15_000;
const MAX_AGE_MS = 900_000;
const MAX_CLIENTS = 1_000;
/**
 * The query itself causes these errors. Messages of all other errors are for the operator, so they stay on the server.
 */
const MISTAKES: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid-argument',
  'invalid-id',
  'invalid-key',
  'key-too-long',
  'not-declared',
  'unknown-name',
  'unknown-type',
]);
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Keeps proxies from buffering the response.
  'x-accel-buffering': 'no',
};

/**
 * Creates a handler that streams the events of `Reader.watch` as Server-Sent Events with JSON data, for `new
 * EventSource(url)`. A client that reconnects, even after being dropped as too slow, gets the whole list. A query that
 * the model refuses gets status 400. Any other error of `Reader.watch` becomes a `failure` event and ends the stream.
 *
 * @example
 * const handle = watchHandler({
 *   reader,
 *   query: async (request) => {
 *     const user = await userOf(request);
 *     return user === undefined ? new Response(null, { status: 401 }) : { inbound: [user.id, 'TICKET'], limit: 20 };
 *   },
 * });
 */
export function watchHandler<G extends CompiledModel>(
  options: WatchHandlerOptions<G>,
): (request: Request) => Promise<Response> {
  checkOptions('watchHandler', options, {
    reader: true,
    query: 'function',
    heartbeatMs: 'timer',
    maxAgeMs: 'timer',
    maxClients: 'count',
    onError: 'function',
  });
  const {
    reader,
    query: queryOf,
    heartbeatMs = HEARTBEAT_MS,
    maxAgeMs = MAX_AGE_MS,
    maxClients = MAX_CLIENTS,
    onError = warn,
  } = options;
  const room = new ClientRoom(maxClients);
  // Safe, because query types are checked where the handler is created.
  const watch = reader.watch as unknown as (query: WatchQuery, options: object) => AsyncIterable<WatchEvent>;
  return async (request) => {
    const query = await queryOf(request);
    if (isResponse(query)) return query;
    if (request.method === 'HEAD') return new Response(null, { headers: HEADERS });
    const ending = new AbortController();
    const { signal } = request;
    const leave = (): void => ending.abort(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    const events = watch(query as WatchQuery, { signal: ending.signal })[Symbol.asyncIterator]();
    if (!room.enter()) return tooManyClients();
    const failureOf = (error: unknown): WatchFailure => {
      if (isMistake(error)) return { code: error.code, message: error.message };
      onError(error);
      return { code: error instanceof EdgeloomError ? error.code : 'unexpected', message: 'The list cannot be read.' };
    };
    const began = await events.next().then(
      ({ value }) => ({ event: value as WatchEvent }),
      (error: unknown) => ({ error }),
    );
    if ('error' in began && isMistake(began.error)) {
      room.leave();
      return Response.json(failureDocument(began.error), { status: 400 });
    }
    if (room.isFull) {
      // Other clients may have filled the room during the first read.
      room.leave();
      ending.abort();
      events.return?.().catch(() => undefined);
      return tooManyClients();
    }
    const stream = eventStream({ request, began, events, ending, failureOf, heartbeatMs, maxAgeMs, room });
    return new Response(stream, { headers: HEADERS });
  };
}

function tooManyClients(): Response {
  const error = new EdgeloomError(
    'too-many-clients',
    'More clients watch than this server takes, or they are too slow.',
    'Connect again later, or raise maxClients of watchHandler.',
  );
  return Response.json(failureDocument(error), { status: 429, headers: { 'retry-after': `${RETRY_MS / 1_000}` } });
}

function isMistake(error: unknown): error is EdgeloomError {
  return error instanceof EdgeloomError && MISTAKES.has(error.code);
}

/** Accepts any framework's Response class, but never an object parsed from a client's JSON. */
function isResponse(answer: unknown): answer is Response {
  return Object.prototype.toString.call(answer) === '[object Response]';
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
