import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CompiledModel } from 'edgeloom';
import type { Source } from 'edgeloom/admin';
import { type Local, startLocal } from 'edgeloom/local';
import { type Routes, restHandler } from './rest.ts';

/**
 * Runs a service on this machine until Ctrl-C: an engine with its table, a projector, and the REST routes on the port
 * `PORT` (default: 3000). `POST /projected` answers once all writes are projected.
 */
export async function start(
  graph: CompiledModel,
  routes: (local: Local) => Routes | Promise<Routes>,
  sources: readonly Source[] = [],
): Promise<void> {
  const local = await startLocal(graph, { sources });
  const handler = restHandler({
    ...(await routes(local)),
    'POST /projected': async () => {
      await local.mirrors?.idle();
      await local.worker.idle();
    },
  });
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const {
      statusCode,
      headers,
      body: text,
    } = await handler({
      ...{ rawPath: pathname, rawQueryString: search.slice(1), body },
      requestContext: { http: { method: request.method ?? 'GET' } },
    });
    response.writeHead(statusCode, headers).end(text);
  });
  server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
  await once(server, 'listening');
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stop = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await local.stop();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}
