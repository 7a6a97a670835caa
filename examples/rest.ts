import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type CompiledModel, createClient, DynamoDBStore } from 'edgeloom';

/** A REST front as a Lambda function behind an HTTP API of API Gateway. */

/** The part of the gateway's event (payload 2.0) that a front needs. */
export interface HttpEvent {
  rawPath: string;
  rawQueryString: string;
  requestContext: { http: { method: string } };
  body?: string | undefined;
  isBase64Encoded?: boolean;
}

/** The answer that the gateway takes. */
export interface HttpAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** What a route gets of a request. */
export interface Call {
  /** The parts of the path that the route leaves open, decoded. */
  names: string[];
  query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: a body is any JSON; the model's schemas check what is written
  body: any;
}

/** `GET /users/:id`, and what answers it; null is answered with 404. */
export type Routes = Readonly<Record<string, (call: Call) => Promise<unknown>>>;

/** Error codes that are no fault of the client's. */
const STATUS: Readonly<Record<string, number>> = {
  'unknown-type': 404,
  'condition-failed': 409,
  'cursor-outdated': 410,
  'projection-not-ready': 503,
};

/** Makes a handler of routes. */
export function restHandler(routes: Routes): (event: HttpEvent) => Promise<HttpAnswer> {
  const table = Object.entries(routes).map(([route, run]) => {
    const [method, path = ''] = route.split(' ');
    return { method, pattern: new RegExp(`^${path.replace(/:\w+/g, '([^/]+)')}$`), run };
  });
  return async ({ requestContext, rawPath, rawQueryString, body = '', isBase64Encoded }) => {
    const [found] = table.flatMap(({ method, pattern, run }) => {
      const path = method === requestContext.http.method ? pattern.exec(rawPath) : null;
      return path === null ? [] : [{ names: path.slice(1), run }];
    });
    if (found === undefined) return answer(404, { error: 'no-such-route' });
    try {
      const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
      const result = await found.run({
        names: found.names.map(decodeURIComponent),
        query: new URLSearchParams(rawQueryString),
        body: text === '' ? {} : JSON.parse(text),
      });
      return result === null ? answer(404, { error: 'not-found' }) : answer(200, result ?? {});
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (error instanceof SyntaxError || error instanceof URIError)
        return answer(400, { error: 'invalid-request', message });
      if (code !== undefined) return answer(STATUS[code] ?? 400, { error: code, message });
      console.error(error);
      return answer(500, { error: 'internal' });
    }
  };
}

/** Makes the Lambda function of routes, whose table is the one that `TABLE` names, or else the model's. */
export function restOf(
  graph: CompiledModel,
  routes: (store: DynamoDBStore, client: DynamoDBClient) => Routes,
): ReturnType<typeof restHandler> {
  const client = createClient();
  return restHandler(
    routes(new DynamoDBStore(client, { ...graph.table, name: process.env['TABLE'] ?? graph.table.name }), client),
  );
}

/** The part of a list that a request asks for: `?limit=20&cursor=…`. */
export function pageOf(query: URLSearchParams): { limit: number; cursor?: string } {
  const cursor = query.get('cursor');
  return { limit: Number(query.get('limit') ?? 20), ...(cursor !== null && { cursor }) };
}

function answer(statusCode: number, body: unknown): HttpAnswer {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
