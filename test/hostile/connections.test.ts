import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { ListStreamsCommand } from '@aws-sdk/client-dynamodb-streams';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { node } from '../../src/core/model/schema.ts';
import { MAX_CONNECTIONS, timeLimits, WholeBodyAgent } from '../../src/store/client/http.ts';
import { jsonService, SQS } from '../../src/store/client/json-service.ts';
import { serviceConfig } from '../../src/store/client/service.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable } from '../../src/store/table-description.ts';
import { testEndpoint } from '../support/engine.ts';
import { passOn } from '../support/local-server.ts';
import { uniqueTableName } from '../support/table.ts';

/** A search that asks every one of its shards. */
function searchedOver(shards: number) {
  const table = uniqueTableName();
  return defineGraph({
    table,
    nodes: { USER: node({ view: 'ALL', search: { name: { shards, shardBy: 'source' } } }) },
  });
}

/** A server's port, how many connections it has had at once and in all, and how to end it. */
async function counted(server: Server) {
  const open = new Set<{ destroy(): void }>();
  const counts = { most: 0, ever: 0 };
  server.on('connection', (socket) => {
    open.add(socket);
    counts.ever += 1;
    counts.most = Math.max(counts.most, open.size);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { port, counts, stop };
}

/** An idle connection is kept, however long the machine takes until the next request. */
const KEPT = { keepAliveTimeout: 600_000 };

const answerEmpty: RequestListener = (request, response) => {
  const page = JSON.stringify({ Items: [], Count: 0, ScannedCount: 0, ConsumedCapacity: { CapacityUnits: 0.5 } });
  request.resume().on('end', () => response.setHeader('content-type', 'application/x-amz-json-1.0').end(page));
};

/** Passes each call on to the engine. */
const answerByEngine: RequestListener = (request, response) => {
  const answer = async (): Promise<void> => {
    const { status, text } = await passOn(testEndpoint(), request.headers, await textOf(request));
    response.writeHead(status).end(text);
  };
  answer().catch((error: unknown) => response.destroy(error as Error));
};

function readerAt(graph: CompiledModel, client: ReturnType<typeof createClient>) {
  return createReader(graph, { store: new DynamoDBStore(client, graph.table) });
}

describe('the connections of a client', () => {
  it('are at most 64 for 200 readers that ask 40 shards each at once, and serve the next search too', async () => {
    const { port, counts, stop } = await counted(createServer(KEPT, answerEmpty));
    const client = createClient({ endpoint: `http://127.0.0.1:${port}` });
    const graph = searchedOver(40);
    const search = () => readerAt(graph, client).search('USER.name').equals('x');
    const results = await Promise.all(Array.from({ length: 200 }, search));
    await search();
    expect(results.map(({ items }) => items.length)).toEqual(results.map(() => 0));
    expect(counts).toEqual({ most: MAX_CONNECTIONS, ever: MAX_CONNECTIONS });
    client.destroy();
    await stop();
  });

  it('are as few as asked for, while 20 searches over 50 shards find what is there', async () => {
    const graph = searchedOver(50);
    const { port, counts, stop } = await counted(createServer(KEPT, answerByEngine));
    const client = createClient({ endpoint: `http://127.0.0.1:${port}`, maxConnections: 8 });
    await createTable(graph, { client });
    const store = new DynamoDBStore(client, graph.table);
    const gsi0pk = { S: 'USER.name#7' };
    const found = {
      source: { S: 'USER-1' },
      target: { S: '~ix/name' },
      gsi0pk,
      gsi0sk: { S: 'x\0USER-1' },
      value: { S: 'x' },
    };
    await store.put(found);
    const results = await Promise.all(
      Array.from({ length: 20 }, () => createReader(graph, { store }).search('USER.name').equals('x')),
    );
    for (const { items } of results) expect(items).toMatchObject([{ id: 'USER-1' }]);
    expect(counts.most).toBe(8);
    client.destroy();
    await stop();
  });

  it('are bounded too while each of them fails and is opened anew', async () => {
    // Accepts a connection, says nothing to its greeting and hangs up.
    const server = createTcpServer((socket) => void delay(Math.random() * 20).then(() => socket.destroy()));
    const { port, counts, stop } = await counted(server);
    const agent = new WholeBodyAgent({ maxConnections: 10 });
    const origin = `https://127.0.0.1:${port}`;
    const refused = async (): Promise<void> => {
      for (let attempt = 0; attempt < 5; attempt++) {
        await expect(agent.request({ origin, path: '/', method: 'POST', body: '{}' })).rejects.toThrow();
      }
    };
    await Promise.all(Array.from({ length: 50 }, refused));
    expect(counts.ever).toBeGreaterThan(100);
    expect(counts.most).toBeLessThanOrEqual(10);
    await agent.destroy();
    await stop();
  });

  it('have a bound that is a number', () => {
    for (const maxConnections of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      const refused = expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringContaining('maxConnections'),
      });
      expect(() => createClient({ maxConnections })).toThrow(refused);
      expect(() => createStreamsClient({ maxConnections })).toThrow(refused);
    }
  });

  it('are given up while the server is silent, before its answer and within it, in every client', async () => {
    const silent: RequestListener = (request) => void request.resume();
    const halting: RequestListener = (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': '100' }).write('{');
    };
    for (const listener of [silent, halting]) {
      const { port, counts, stop } = await counted(createServer(listener));
      const endpoint = `http://127.0.0.1:${port}`;
      const options = { endpoint, region: 'eu-west-1', answerTimeoutMs: 300, maxAttempts: 2 };
      const { table } = searchedOver(1);
      const key = { source: 'USER-1', target: 'USER-1' };
      const clients = [createClient(options), createClient({ ...options, lean: false })];
      const streams = createStreamsClient(options);
      const s3 = new S3Client({ ...serviceConfig(options), forcePathStyle: true });
      const startedMs = Date.now();
      const calls = [
        ...clients.map((client) => new DynamoDBStore(client, table).get(key, { consistent: true })),
        streams.send(new ListStreamsCommand({})),
        jsonService(SQS, options)('ReceiveMessage', { QueueUrl: `${endpoint}/1/queue` }),
        s3.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' })).then(({ Body }) => Body?.transformToString()),
      ];
      const outcomes = await Promise.allSettled(calls);
      expect(outcomes.map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
      // Two attempts of 0.3 s each; the limit is for a machine that is busy.
      expect(Date.now() - startedMs).toBeLessThan(30_000);
      // One call of SQS is one attempt. S3 hands out its body as a stream: the SDK asks for none again that has begun.
      expect(counts.ever).toBeGreaterThanOrEqual(2 * calls.length - (listener === halting ? 2 : 1));
      for (const client of [...clients, streams, s3]) client.destroy();
      await stop();
    }
  });

  it('wait 15 seconds for an answer unless told otherwise, which is a whole number', () => {
    expect(timeLimits()).toMatchObject({ headersTimeout: 15_000, bodyTimeout: 15_000 });
    for (const answerTimeoutMs of [0, -1, 1.5, Number.NaN]) {
      const refused = expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringContaining('answerTimeoutMs'),
      });
      expect(() => createClient({ answerTimeoutMs })).toThrow(refused);
      expect(() => serviceConfig({ answerTimeoutMs })).toThrow(refused);
    }
  });
});
