import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Engine, type EngineName, startEngine } from '../../packages/local/engine/engine.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable } from '../../src/store/table-description.ts';
import { fileCheckpoint } from '../../src/stream/checkpoint.ts';
import { runChild } from '../support/child.ts';
import { followGraph, follows, user, viewOf } from '../support/follow-graph.ts';

const ENGINE: EngineName = process.env['EDGELOOM_TEST_ENGINE'] === 'dynamodb-local' ? 'dynamodb-local' : 'dynoxide';
const KILLS = 4;
const USERS = 60;

let folder: string;
let engine: Engine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-kill-'));
  engine = await startEngine({ engine: ENGINE });
});
afterAll(async () => {
  await engine.stop();
  await rm(folder, { recursive: true, force: true });
});

it('a worker killed with SIGKILL again and again leaves nothing undone, and goes on from its checkpoint', async () => {
  const { endpoint } = engine;
  const client = createClient({ endpoint });
  const graph = followGraph('killed');
  const { streamArn = '' } = await createTable(graph, { client });
  const store = new DynamoDBStore(client, graph.table);
  const file = join(folder, 'checkpoint.json');
  await store.writeMany(Array.from({ length: USERS }, (_, i) => ({ put: user(`${i}`) })));

  for (let kill = 0; kill < KILLS; kill++) {
    // Every round changes something in each view, so that the killed worker always has a batch in hand.
    await store.writeMany(Array.from({ length: USERS }, (_, i) => ({ put: follows(`${i}`, `${kill}`) })));
    const child = runChild('worker-child.ts', [endpoint, graph.table.name, streamArn, file]);
    // It speaks before it keeps its checkpoint: with the second line, the first batch is kept.
    for (let line = 0; line < 2; line++) await child.nextLine();
    child.process.kill('SIGKILL');
    await child.ended;
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ streamArn });
  }
  const streams = createStreamsClient({ endpoint });
  const checkpoint = fileCheckpoint(file);
  const last = await createWorker(graph, { store, streams, streamArn, checkpoint }).run({ untilIdle: true });

  expect(last.records).toBeLessThan(USERS * (KILLS + 1));
  expect(last.setAside).toBeUndefined();
  const everybody = Array.from({ length: KILLS }, (_, kill) => `${kill}`);
  for (let i = 0; i < USERS; i++) {
    expect(await viewOf(store, `${i}`)).toEqual({ name: `${i}`, follows: everybody });
  }
});
