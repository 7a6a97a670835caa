import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../bench/support/random.ts';
import { scanTable } from '../../bench/support/table.ts';
import { type Engine, startEngine } from '../../packages/local/engine/engine.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable } from '../../src/store/table-description.ts';
import { fileCheckpoint } from '../../src/stream/checkpoint.ts';
import { check } from '../../src/trust/check/check.ts';
import { runChild } from '../support/child.ts';
import { followGraph, viewOf } from '../support/follow-graph.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = 10;
const WRITERS = 2;
/** Users that the writers write. */
const USERS = 40;
/** A worker is killed so long after its first batch at most. */
const LONGEST_LIFE_MS = 150;
const SEED = 20_261_121;

const folder = temporaryFolder();
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(async () => {
  await engine.stop();
});

it(`a worker killed ${KILLS} times at random moments, while producers write, loses nothing and leaves nothing extra`, async () => {
  const { endpoint } = engine;
  const client = createClient({ endpoint });
  const graph = followGraph('crashed');
  const { streamArn = '' } = await createTable(graph, { client });
  const store = new DynamoDBStore(client, graph.table);
  const file = join(folder, 'checkpoint.json');
  const random = seededRandom(SEED);
  const writers = Array.from({ length: WRITERS }, (_, i) =>
    runChild('writer-child.ts', [endpoint, graph.table.name, `${SEED + i}`]),
  );

  for (let kill = 0; kill < KILLS; kill++) {
    const worker = runChild('worker-child.ts', [endpoint, graph.table.name, streamArn, file]);
    await worker.nextLine();
    await delay(random.below(LONGEST_LIFE_MS));
    worker.process.kill('SIGKILL');
    await worker.ended;
  }
  for (const writer of writers) writer.endInput();
  const written = await Promise.all(writers.map((writer) => writer.nextLine()));
  await Promise.all(writers.map(({ ended }) => ended));
  const streams = createStreamsClient({ endpoint });
  await createWorker(graph, { store, streams, streamArn, checkpoint: fileCheckpoint(file) }).run({ untilIdle: true });

  expect(written.reduce((sum, count) => sum + Number(count), 0)).toBeGreaterThan(KILLS * 10);
  const items = [...(await scanTable(client, graph)).values()];
  const { names, follows } = writtenIn(items);
  const reader = createReader(graph, { store });
  for (let i = 0; i < USERS; i++) {
    const id = `${i}`;
    const followed = follows.filter(({ from }) => from === id).map(({ to }) => to);
    const name = names.get(id);
    const view = { ...(name !== undefined && { name }), follows: followed.sort() };
    expect(await viewOf(store, id)).toEqual(name === undefined && followed.length === 0 ? undefined : view);
    const { items: incoming } = await reader.inbound(`USER-${id}`, 'FOLLOWS');
    const followers = follows.filter(({ to }) => to === id).map(({ from }) => `USER-${from}`);
    expect(incoming.map(({ source }) => source).sort()).toEqual(followers.sort());
  }
  // The product's own word on it.
  expect((await check(graph, { store, graceMs: 100 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  // Each process has to come up after the one before; a busy machine takes seconds for each.
});

/** The names of users, and who follows whom, as base items say it. */
function writtenIn(items: readonly Item[]): { names: Map<string, string>; follows: { from: string; to: string }[] } {
  const names = new Map<string, string>();
  const follows: { from: string; to: string }[] = [];
  for (const item of items) {
    const [source, target] = [stringOf(item['source'])!, stringOf(item['target'])!];
    const from = source.replace('USER-', '');
    if (source === target) names.set(from, stringOf(item['name'])!);
    else if (target.startsWith('FOLLOWS-')) follows.push({ from, to: target.replace('FOLLOWS-USER-', '') });
  }
  return { names, follows };
}
