import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerNodeRequest } from '../../../src/client/http/node.ts';
import { type WatchQueryOf, watchHandler } from '../../../src/client/http/watch-handler.ts';
import { createReader } from '../../../src/client/read/reader.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import { failureDocument } from '../../../src/foundation/failure-document.ts';
import { askedQuery } from '../api/query.ts';
import type { StudioContext } from '../base/context.ts';
import { COMMON_HEADERS, sendJson } from '../base/http.ts';
import { callOf } from '../base/query.ts';
import { checkInput, parametersOf } from '../base/route.ts';
import { statusOf } from './answers.ts';

/** Answers with a list that moves, until the page goes on: the events of `watchHandler`. It takes the questions of `GET /api/query`. */
export async function answerWithLiveList(
  { graph, store, leases, live, logger }: StudioContext,
  request: IncomingMessage,
  url: URL,
  response: ServerResponse,
): Promise<void> {
  const held = live.hold();
  response.once('close', held.release);
  for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
  try {
    const reader = createReader(graph, { store, leases, readNumber: losslessNumber, feed: await held.feed });
    const handle = watchHandler({
      reader,
      query: () => watchQueryOf(graph, url),
      onError: (error) => logger.warn({ code: failureDocument(error).error.code }, 'A live list has ended.'),
    });
    await answerNodeRequest(handle, request, response);
  } catch (error) {
    if (response.headersSent) throw error;
    const document = failureDocument(error);
    sendJson(response, statusOf(error, document.error.code), document);
  }
}

function watchQueryOf(graph: CompiledModel, url: URL): WatchQueryOf<CompiledModel> {
  const { cursor, ...asked } = checkInput(askedQuery, parametersOf(url.searchParams));
  const call = callOf(graph, asked);
  if (call.method === 'page' || call.method === 'nodes' || cursor !== undefined) {
    throw new EdgeloomError(
      'invalid-request',
      'The beginning of a list of edges, without levels, or of a search moves.',
      'Load the page again.',
    );
  }
  const { options } = call;
  const query =
    call.method === 'search'
      ? { search: call.name, ...call.predicate, ...options }
      : { inbound: [call.id, call.type], ...options };
  return query as WatchQueryOf<CompiledModel>;
}
