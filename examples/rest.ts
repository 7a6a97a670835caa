import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type CompiledModel, createClient, DynamoDBStore } from 'edgeloom';

/** Runs REST routes in a Lambda function behind an API Gateway HTTP API. */

/** The fields of the gateway's event (payload 2.0) that routes need. */
export interface HttpEvent {
  rawPath: string;
  rawQueryString: string;
  requestContext: { http: { method: string } };
  body?: string | undefined;
  isBase64Encoded?: boolean;
}

export interface HttpAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

export interface Call {
  /** Decoded values of the route's `:name` segments. */
  names: string[];
  query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: a body is any JSON; the model's schemas check what is written
  body: any;
}

/** Handlers by route, such as `GET /users/:id`. A null result becomes a 404. */
export type Routes = Readonly<Record<string, (call: Call) => Promise<unknown>>>;

/** HTTP status by error code. Default: 400. */
const STATUS: Readonly<Record<string, number>> = {
  'unknown-type': 404,
  'condition-failed': 409,
  'cursor-outdated': 410,
  'projection-not-ready': 503,
};

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

/** Returns a Lambda handler. The environment variable `TABLE` overrides the model's table name. */
export function restOf(
  graph: CompiledModel,
  routes: (store: DynamoDBStore, client: DynamoDBClient) => Routes,
): ReturnType<typeof restHandler> {
  const client = createClient();
  return restHandler(
    routes(new DynamoDBStore(client, { ...graph.table, name: process.env['TABLE'] ?? graph.table.name }), client),
  );
}

/** Reads `?limit=20&cursor=…`. Default limit: 20. */
export function pageOf(query: URLSearchParams): { limit: number; cursor?: string } {
  const cursor = query.get('cursor');
  return { limit: Number(query.get('limit') ?? 20), ...(cursor !== null && { cursor }) };
}

function answer(statusCode: number, body: unknown): HttpAnswer {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
