import type { CompiledModel } from '../../core/model/compiled.ts';
import type { IndexedEdgeType, SearchName } from '../../core/model/inference.ts';
import { EdgeloomError, StoreError } from '../../foundation/errors.ts';
import { failureDocument } from '../../foundation/failure-document.ts';
import { checkOptions } from '../../foundation/options.ts';
import type { InboundOfWatch, SearchOfWatch, ViewsWatch, WatchQuery } from '../feed/watch.ts';
import type { WatchEvent } from '../feed/watch-types.ts';
import type { SearchPredicate } from '../read/lists/search.ts';
import type { Reader } from '../read/reader.ts';
import { ClientRoom } from './client-room.ts';
import { eventStream, RETRY_MS, type WatchFailure } from './event-stream.ts';

/** The list, or the nodes, that a request watches: an argument of `Reader.watch`. */
export type WatchQueryOf<G extends CompiledModel> =
  | ({ inbound: readonly [string, IndexedEdgeType<G>] } & InboundOfWatch)
  | ({ search: SearchName<G> } & SearchPredicate & SearchOfWatch)
  | ViewsWatch;

/** Options of `watchHandler`. */
export interface WatchHandlerOptions<G extends CompiledModel = CompiledModel> {
  /** Gives the lists and views, and watches them. */
  reader: Reader<G>;
  /**
   * Says what a request may watch. It may refuse by returning a Response, such as one with the status 401. Its own errors pass through.
   */
  query: (request: Request) => WatchQueryOf<G> | Response | Promise<WatchQueryOf<G> | Response>;
  /** Milliseconds between two comments, which keep proxies from closing a quiet connection. Default 15,000. */
  heartbeatMs?: number | undefined;
  /**
   * Milliseconds after which a stream ends, so that its client comes back and `query` says what it may watch by then. Default 900,000:
   * 15 minutes.
   */
  maxAgeMs?: number | undefined;
  /** Clients at once. Another one gets the status 429. Default 1,000. */
  maxClients?: number | undefined;
  /** Called with each error that the client sees only the code of. Default: a warning of the process. */
  onError?: ((error: unknown) => void) | undefined;
}

const HEARTBEAT_MS = 15_000;
const MAX_AGE_MS = 900_000;
/** Clients of a handler at once, where nothing else is asked for. */
export const MAX_CLIENTS = 1_000;
/** Errors that are no fault of the query: it may be answered later. */
const PASSING = new Set(['feed-ended', 'projection-not-ready']);
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Some proxies collect an answer before they pass it on; this header stops them.
  'x-accel-buffering': 'no',
};

/**
 * Makes a handler that answers a request with a list that moves, as Server-Sent Events: `new EventSource(address)` in a browser. Each event has
 * the name of its type (`page`, `enter`, `leave`, `change`, `resync`) and the event of `Reader.watch` as JSON, for `applyWatchEvent`. A client that
 * comes back gets `resync` and the whole list, as does one that is too slow. One that takes nothing for 30 seconds is let go.
 *
 * A query that the model refuses is answered with the status 400 and `{ error: { code, message, hint } }`. Any later error is an event `failure`, and the end of the
 * stream; an EventSource then connects again. The stream ends when the client goes: the signal of its Request tells.
 *
 * All clients of a process share the reading of the stream; each of them queries its own list when it begins.
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
    query: true,
    heartbeatMs: true,
    maxAgeMs: true,
    maxClients: true,
    onError: true,
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
  // The types of a graph's queries are checked where the handler is made.
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
      // Many came at once.
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

/** Tells whether the query is wrong, so that the same one fails again. */
function isMistake(error: unknown): error is EdgeloomError {
  return error instanceof EdgeloomError && !(error instanceof StoreError) && !PASSING.has(error.code);
}

/** A framework may have a Response of its own. A query that a client has sent as JSON is none, whatever names it has. */
function isResponse(answer: unknown): answer is Response {
  return Object.prototype.toString.call(answer) === '[object Response]';
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
