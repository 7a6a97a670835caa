import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { EdgeloomError, StoreError } from '../../../src/foundation/errors.ts';
import { failureDocument } from '../../../src/foundation/failure-document.ts';
import { INSPECT_ROUTES } from '../api/inspect.ts';
import { LIVE_ROUTES } from '../api/live.ts';
import { OVERVIEW_ROUTES } from '../api/model-and-status.ts';
import { NODE_ROUTES } from '../api/nodes.ts';
import { QUERY_ROUTES } from '../api/query.ts';
import { SUGGEST_ROUTES } from '../api/suggest.ts';
import { TRACE_ROUTES } from '../api/trace.ts';
import { TRUST_ROUTES } from '../api/trust.ts';
import { WHAT_IF_ROUTES } from '../api/what-if.ts';
import { WRITE_ROUTES } from '../api/write.ts';
import { requestContext, type StudioContext } from '../base/context.ts';
import { readBody, sendJson } from '../base/http.ts';
import { parametersOf, type StudioRoute } from '../base/route.ts';

const ROUTES: ReadonlyMap<string, StudioRoute> = new Map(
  [
    OVERVIEW_ROUTES,
    LIVE_ROUTES,
    SUGGEST_ROUTES,
    QUERY_ROUTES,
    NODE_ROUTES,
    INSPECT_ROUTES,
    TRACE_ROUTES,
    TRUST_ROUTES,
    WHAT_IF_ROUTES,
    WRITE_ROUTES,
  ]
    .flat()
    .map((route) => [`${route.method} ${route.path}`, route]),
);

export async function answerRequest(
  context: StudioContext,
  request: IncomingMessage,
  url: URL,
  response: ServerResponse,
): Promise<void> {
  const started = performance.now();
  const own = requestContext(context);
  let status = 200;
  let code: string | undefined;
  try {
    const route = ROUTES.get(`${request.method} ${url.pathname}`);
    if (route === undefined)
      throw new EdgeloomError('unknown-request', 'The studio has no answer to this request.', 'Load the page again.');
    if (route.writes && !context.isWritable) {
      throw new EdgeloomError('read-only', 'This studio is read-only.', 'Start it with --write.');
    }
    const input = route.method === 'GET' ? parametersOf(url.searchParams) : await readBody(request);
    const answer = await route.answer(own, input);
    sendJson(response, status, { answer, units: unitsOf(own.store) });
  } catch (error) {
    const document = failureDocument(error);
    code = document.error.code;
    status = statusOf(error, code);
    // Close the connection, because the rest of an unread body would be taken for the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    sendJson(response, status, { ...document, units: unitsOf(own.store) });
  }
  // Never log parameters or bodies: they contain keys and items.
  const ms = Math.round(performance.now() - started);
  context.logger.info({ method: request.method, path: url.pathname, status, code, ms }, 'answered');
}

function unitsOf({ rcu, wcu }: { rcu: number; wcu: number }): { rcu: number; wcu: number } {
  return { rcu, wcu };
}

function statusOf(error: unknown, code: string): number {
  if (code === 'unknown-request') return 404;
  if (code === 'read-only') return 403;
  return error instanceof EdgeloomError && !(error instanceof StoreError) ? 400 : 502;
}
