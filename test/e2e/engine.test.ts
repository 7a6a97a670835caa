import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { hasJava } from '../../packages/local/engine/dynamodb-local.ts';
import { type EngineName, startEngine } from '../../packages/local/engine/engine.ts';
import { spawnEngine } from '../../packages/local/engine/engine-process.ts';
import { answers, freePort } from '../../packages/local/engine/ports.ts';
import { startLocal } from '../../packages/local/local.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { node } from '../../src/core/model/schema.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable, describeTable } from '../../src/store/table-description.ts';
import { runChild } from '../support/child.ts';
import { followGraph, follows, user, viewOf } from '../support/follow-graph.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ENGINE: EngineName = process.env['EDGELOOM_TEST_ENGINE'] === 'dynamodb-local' ? 'dynamodb-local' : 'dynoxide';
const ENGINES: EngineName[] = (await hasJava()) ? ['dynoxide', 'dynamodb-local'] : ['dynoxide'];
/** How long an engine may outlive its process. */
const GONE_MS = 60_000;

const folder = temporaryFolder();
function portOf(endpoint: string): number {
  return Number(new URL(endpoint).port);
}

async function isGone(port: number): Promise<boolean> {
  for (const deadline = Date.now() + GONE_MS; Date.now() < deadline; await delay(50)) {
    if (!(await answers(port))) return true;
  }
  return false;
}

describe(`the engine ${ENGINE} ends with the process that started it`, () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)('killed by %s', async (signal) => {
    const child = runChild('engine-child.ts', [ENGINE, 'wait']);
    const port = portOf(await child.nextLine());
    expect(await answers(port)).toBe(true);
    child.process.kill(signal);
    await child.ended;
    expect(await isGone(port)).toBe(true);
  });

  it.each([
    ['process.exit', 'exit', 0],
    ['an error that is not caught', 'throw', 1],
    ['nothing left to do: the engine does not keep it alive', 'return', 0],
  ])('ended by %s', async (_name, ending, code) => {
    const child = runChild('engine-child.ts', [ENGINE, ending]);
    const port = portOf(await child.nextLine());
    await child.ended;
    expect(child.process.exitCode).toBe(code);
    expect(await isGone(port)).toBe(true);
  });

  it('also when it does not heed the request to end', async () => {
    const script =
      'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); process.stderr.write(String(process.pid));';
    const engine = spawnEngine({ file: process.execPath, args: ['-e', script] });
    while (engine.errorOutput() === '') await delay(20);
    const processId = Number(engine.errorOutput());
    await engine.stop();
    expect(() => process.kill(processId, 0)).toThrow('ESRCH');
  });
});

describe('startEngine', () => {
  it('says that a port is in use, and by that does not take another server for its engine', async () => {
    const port = await freePort();
    const server = createServer((_request, response) => response.end('not an engine')).listen(port, '127.0.0.1');
    await once(server, 'listening');
    await expect(startEngine({ engine: ENGINE, port })).rejects.toMatchObject({
      code: 'port-in-use',
      message: `Port ${port} is in use, so the engine ${ENGINE} cannot start on it.`,
      hint: expect.stringContaining('--port'),
    });
    server.close();
  });

  it('stops when asked, any number of times, and frees the port', async () => {
    const port = await freePort();
    const engine = await startEngine({ engine: ENGINE, port });
    expect(engine.endpoint).toBe(`http://127.0.0.1:${port}`);
    await Promise.all([engine.stop(), engine.stop()]);
    await engine.stop();
    await engine.ended;
    expect(await answers(port)).toBe(false);
  });

  it('tells when the engine ends by itself', async () => {
    const port = await freePort();
    const engine = await startEngine({ engine: ENGINE, port });
    // The process that listens on the port is the engine's; it is found by its arguments.
    const [, processId] = (await processOn(port)) ?? [];
    process.kill(Number(processId), 'SIGKILL');
    await engine.ended;
    await engine.stop();
    expect(await answers(port)).toBe(false);
  });

  it('keeps data in dataDir over a restart', async () => {
    const dataDir = join(folder, 'kept');
    const graph = followGraph('kept');
    const first = await startEngine({ engine: ENGINE, dataDir });
    const { streamArn } = await createTable(graph, { client: createClient({ endpoint: first.endpoint }) });
    await new DynamoDBStore(createClient({ endpoint: first.endpoint }), graph.table).put(user('1'));
    await first.stop();

    const second = await startEngine({ engine: ENGINE, dataDir });
    const client = createClient({ endpoint: second.endpoint });
    expect((await describeTable(graph, { client })).streamArn).toBe(streamArn);
    const key = { source: 'USER-1', target: 'USER-1' };
    const { item } = await new DynamoDBStore(client, graph.table).get(key, { consistent: true });
    expect(item).toEqual(user('1'));
    await second.stop();
  });
});

describe('startLocal', () => {
  it.each(ENGINES)('starts on kept data where the worker was (%s)', async (engine) => {
    const dataDir = join(folder, `local-${engine}`);
    const graph = followGraph('kept');
    const first = await startLocal(graph, { engine, dataDir });
    await first.store.put(user('1'));
    await first.worker.idle();
    await first.store.put(user('2'));
    await first.stop();
    const { records: recordsOfFirst } = await first.worker.ended;

    const second = await startLocal(graph, { engine, dataDir });
    await second.store.put(follows('1', '2'));
    await second.worker.idle();
    expect(await viewOf(second.store, '1')).toEqual({ name: '1', follows: ['2'] });
    expect(await viewOf(second.store, '2')).toEqual({ name: '2', follows: [] });
    await second.stop();
    await second.stop();
    expect(recordsOfFirst + (await second.worker.ended).records).toBe(3);
  });

  it('brings kept data to a model with a native list by a migration, as to one with a derived list', async () => {
    const dataDir = join(folder, 'native');
    const graphOf = (native: boolean) =>
      defineGraph({ table: 'kept', nodes: { USER: node({ search: { mail: native ? { native } : {} } as never }) } });
    const first = await startLocal(graphOf(false), { engine: ENGINE, dataDir });
    await first.store.put({ ...user('1'), mail: { S: 'ada@example.com' } });
    await first.stop();

    const second = await startLocal(graphOf(true), { engine: ENGINE, dataDir });
    const graph = graphOf(true) as CompiledModel;
    const search = async () =>
      await createReader(graph, { store: second.store })
        .search('USER.mail' as never)
        .equals('ada@example.com');
    await expect(search()).rejects.toMatchObject({ code: 'projection-not-ready' });
    await migrate(graph, { store: second.store, wait: async () => undefined });
    expect((await search()).items).toMatchObject([{ id: 'USER-1' }]);
    await second.stop();
  });

  it('tells when its engine is lost', async () => {
    const local = await startLocal(followGraph('lost'), { engine: ENGINE });
    const [, processId] = (await processOn(portOf(local.endpoint))) ?? [];
    process.kill(Number(processId), 'SIGKILL');
    const ended = { code: 'already-ended', message: `The engine at ${local.endpoint} has ended.` };
    await expect(local.worker.ended).rejects.toMatchObject(ended);
    await expect(local.worker.idle()).rejects.toMatchObject(ended);
    await local.stop();
  });
});

/** The id of the engine's process that has a port in its arguments, matched by `ps`. */
async function processOn(port: number): Promise<RegExpMatchArray | null> {
  const ps = spawn('ps', ['-eo', 'pid=,args=']);
  let listing = '';
  for await (const chunk of ps.stdout) listing += String(chunk);
  return listing.match(new RegExp(`^ *(\\d+) (?!/bin/sh).*-port ${port}( |$)`, 'm'));
}
