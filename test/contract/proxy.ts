import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How many entries of a batch call are handed on, given how many it has; the others come back as unprocessed. */
export type Allowance = (entries: number) => number;

/**
 * A proxy before the engine that processes batch calls in part, as DynamoDB does when it throttles; the engines never do. Everything else
 * passes unchanged.
 */
export async function startThrottlingProxy(
  target: string,
  allow: Allowance,
): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  const server: Server = createServer((request, response) => {
    readBody(request)
      .then((body) => forward(target, request, body, allow))
      .then(({ status, text }) => {
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
        response.end(text);
      })
      .catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function forward(target: string, request: IncomingMessage, body: string, allow: Allowance) {
  const operation = String(request.headers['x-amz-target']).split('.').at(-1)!;
  if (operation === 'BatchGetItem') return await batchGet(target, request, body, allow);
  if (operation === 'BatchWriteItem') return await batchWrite(target, request, body, allow);
  return await send(target, request, body);
}

async function batchGet(target: string, request: IncomingMessage, body: string, allow: Allowance) {
  const input = JSON.parse(body) as { RequestItems: Record<string, { Keys: unknown[] }> };
  const [table, { Keys: keys, ...options }] = Object.entries(input.RequestItems)[0]!;
  const count = allow(keys.length);
  const left = { [table]: { ...options, Keys: keys.slice(count) } };
  const unprocessed = count < keys.length ? { UnprocessedKeys: left } : {};
  if (count === 0) return { status: 200, text: JSON.stringify({ Responses: { [table]: [] }, ...unprocessed }) };
  const part = { ...input, RequestItems: { [table]: { ...options, Keys: keys.slice(0, count) } } };
  return withExtra(await send(target, request, JSON.stringify(part)), unprocessed);
}

async function batchWrite(target: string, request: IncomingMessage, body: string, allow: Allowance) {
  const input = JSON.parse(body) as { RequestItems: Record<string, unknown[]> };
  const [table, writes] = Object.entries(input.RequestItems)[0]!;
  const count = allow(writes.length);
  const unprocessed = count < writes.length ? { UnprocessedItems: { [table]: writes.slice(count) } } : {};
  if (count === 0) return { status: 200, text: JSON.stringify(unprocessed) };
  const part = { ...input, RequestItems: { [table]: writes.slice(0, count) } };
  return withExtra(await send(target, request, JSON.stringify(part)), unprocessed);
}

function withExtra({ status, text }: { status: number; text: string }, extra: object) {
  return { status, text: JSON.stringify({ ...(JSON.parse(text) as object), ...extra }) };
}

async function send(target: string, request: IncomingMessage, body: string) {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    // The body may have changed, and with it its length; what belongs to the other connection stays there.
    if (typeof value === 'string' && !['content-length', 'host', 'connection'].includes(name)) headers[name] = value;
  }
  const response = await fetch(target, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}
