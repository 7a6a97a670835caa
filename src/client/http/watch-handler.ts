import type { CompiledModel } from '../../core/model/compiled.ts';
import type { IndexedEdgeType, SearchName } from '../../core/model/inference.ts';
import { EdgeloomError, StoreError } from '../../foundation/errors.ts';
import { toJson } from '../../foundation/exact-json.ts';
import { failureDocument } from '../../foundation/failure-document.ts';
import { checkOptions } from '../../foundation/options.ts';
import type { InboundOfWatch, NodesWatch, SearchOfWatch, WatchQuery } from '../feed/watch.ts';
import type { WatchEvent } from '../feed/watch-types.ts';
import type { SearchPredicate } from '../read/lists/search.ts';
import type { Reader } from '../read/reader.ts';

/** The list, or the nodes, that a request watches: an argument of `Reader.watch`. */
export type WatchQueryOf<G extends CompiledModel> =
  | ({ inbound: readonly [IndexedEdgeType<G>, string] } & InboundOfWatch)
  | ({ search: SearchName<G> } & SearchPredicate & SearchOfWatch)
  | NodesWatch;

/** Options of `watchHandler`. */
export interface WatchHandlerOptions {
  /** Milliseconds between two comments, which keep proxies from closing a quiet connection. Default 15,000. */
  heartbeatMs?: number | undefined;
  /** Called with each error that the client sees only the code of. Default: a warning of the process. */
  onError?: ((error: unknown) => void) | undefined;
}

/** An error as an event has it: `message` is given only where the client caused it. */
export interface WatchFailure {
  code: string;
  message: string;
}

const HEARTBEAT_MS = 15_000;
/** Bytes that wait for a slow client. Beyond them its list is not followed until it has taken some. */
const MOST_WAITING_BYTES = 65_536;
/** A client that failed comes back after this time, in milliseconds. */
const RETRY_MS = 5_000;
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
 * comes back gets `resync` and the whole list, as does one that is too slow.
 *
 * `queryOf` says what a request may watch. It may refuse by returning a Response, such as one with the status 401. Its own errors pass through.
 *
 * A query that the model refuses is answered with the status 400 and `{ error: { code, message, hint } }`. Any later error is an event `failure`, and the end of the
 * stream; an EventSource then connects again. The stream ends when the client goes: the signal of its Request tells.
 *
 * All clients of a process share the reading of the stream; each of them queries its own list when it begins.
 *
 * @example
 * const handle = watchHandler(reader, async (request) => {
 *   const user = await userOf(request);
 *   return user === undefined ? new Response(null, { status: 401 }) : { inbound: ['TICKET', user.id], limit: 20 };
 * });
 */
export function watchHandler<G extends CompiledModel>(
  reader: Reader<G>,
  queryOf: (request: Request) => WatchQueryOf<G> | Response | Promise<WatchQueryOf<G> | Response>,
  options: WatchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  checkOptions('watchHandler', options, { heartbeatMs: true, onError: true });
  const { heartbeatMs = HEARTBEAT_MS, onError = warn } = options;
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
      return Response.json(failureDocument(began.error), { status: 400 });
    }
    return new Response(streamOf({ request, began, events, ending, failureOf, heartbeatMs }), { headers: HEADERS });
  };
}

/** The values that one stream needs. */
interface StreamContext {
  /** Held as long as the stream: a Request that nobody holds may lose its signal. */
  request: Request;
  /** The first event, or the error that came instead. */
  began: { event: WatchEvent } | { error: unknown };
  events: AsyncIterator<WatchEvent>;
  /** Ends the watch. */
  ending: AbortController;
  failureOf: (error: unknown) => WatchFailure;
  heartbeatMs: number;
}

/** The events as a stream. Only a bounded part waits in it: the next event is asked for once the client has taken some. */
function streamOf(context: StreamContext): ReadableStream<Uint8Array> {
  const { began, events, ending, failureOf, heartbeatMs } = context;
  const { signal } = ending;
  const encoder = new TextEncoder();
  let id = 0;
  const textOf = (event: WatchEvent): string => {
    id += 1;
    return `id: ${id}\nevent: ${event.type}\ndata: ${toJson(event)}\n\n`;
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string): void => controller.enqueue(encoder.encode(text));
        if ('error' in began) {
          if (!signal.aborted) send(failureText(failureOf(began.error)));
          controller.close();
          return;
        }
        const { upTo } = began.event;
        const isBack = context.request.headers.has('last-event-id');
        if (isBack) send(textOf({ type: 'resync', reason: 'The connection was interrupted.', upTo }));
        send(textOf(began.event));
        const heartbeat = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) send(':\n\n');
        }, heartbeatMs);
        const end = (): void => {
          clearInterval(heartbeat);
          // Where nobody has asked it for the next event, it does not see the signal.
          events.return?.().catch(() => undefined);
        };
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      },
      async pull(controller) {
        try {
          const { value, done } = await events.next();
          if (done === true || signal.aborted) controller.error(context.request.signal.reason);
          else controller.enqueue(encoder.encode(textOf(value)));
        } catch (error) {
          if (signal.aborted) {
            controller.error(error);
            return;
          }
          controller.enqueue(encoder.encode(failureText(failureOf(error))));
          controller.close();
          ending.abort(error);
        }
      },
      cancel: (reason) => ending.abort(reason),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES }),
  );
}

function failureText(failure: WatchFailure): string {
  return `retry: ${RETRY_MS}\nevent: failure\ndata: ${JSON.stringify(failure)}\n\n`;
}

/** Whether the query is wrong, so that the same one fails again. */
function isMistake(error: unknown): error is EdgeloomError {
  return error instanceof EdgeloomError && !(error instanceof StoreError) && !PASSING.has(error.code);
}

/** A framework may have a Response of its own. */
function isResponse(answer: object): answer is Response {
  return 'status' in answer && 'headers' in answer;
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
