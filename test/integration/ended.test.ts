import { expect, it, vi } from 'vitest';
import { startLocal } from '../../packages/local/local.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, sum } from '../../src/core/model/schema.ts';
import { redriveHandler } from '../../src/deployment/lambda/redrive-handler.ts';
import { deleteEnded } from '../../src/projecting/ended/delete-ended.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { explain } from '../../src/trust/explain/explain.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** The moment at which edges end, in epoch seconds: long enough from now for engines that delete by themselves. */
const END = 4_000_000_000;
const at = (seconds: number) => ({ now: () => seconds * 1000 });
/** The same time as the table's own. */
const tableAt = (seconds: number) => ({ serverTime: async () => seconds * 1000 });

function partyGraph(expires: 'expiresAt' | 'until' = 'expiresAt') {
  return defineGraph({
    table: uniqueTableName(),
    nodes: { USER: node({}), PARTY: node({}) },
    edges: {
      VISITS: edge({ from: 'USER', to: 'PARTY', expires, degree: true, inbound: { total: { guests: sum('guests') } } }),
    },
    ...(expires === 'until' && { mirrored: ['VISITS' as const] }),
  });
}

type Table = Awaited<ReturnType<typeof openTable<ReturnType<typeof partyGraph>>>>;

const visit = (user: string, party: string, more: Item): Item => ({
  source: { S: user },
  target: { S: `VISITS-${party}` },
  guests: { N: '2' },
  ...more,
});
const ending = (seconds: number): Item => ({ expiresAt: { N: String(seconds) } });

async function project({ projectAll }: Table): Promise<void> {
  while ((await projectAll()).records > 0);
}

async function partyTable(items: readonly Item[], graph = partyGraph()): Promise<Table> {
  const table = await openTable(graph);
  for (const item of items) await table.store.put(item);
  await project(table);
  return table;
}

const PARTIES = [
  visit('USER-1', 'PARTY-1', ending(END)),
  visit('USER-1', 'PARTY-2', {}),
  visit('USER-2', 'PARTY-1', ending(END + 60)),
];

it('ends with its time, and goes on with the next call', async () => {
  const items = Array.from({ length: 30 }, (_, i) => visit(`USER-${i}`, 'PARTY-1', ending(END)));
  const { graph, store } = await partyTable(items);
  let calls = 0;
  const remainingMs = () => (calls++ < 12 ? 1 : 0);
  const first = await deleteEnded(graph, { store, ...tableAt(END), remainingMs });
  expect(first).toMatchObject({ deleted: 12, left: true });
  expect(await deleteEnded(graph, { store, ...tableAt(END) })).toMatchObject({ deleted: 18, left: false });
});

it('takes edges of any key: hashed, long, and of a source with a long id', async () => {
  const long = `USER-${'x'.repeat(900)}`;
  const { graph, store } = await partyTable([
    visit(long, 'PARTY-1', ending(END)),
    visit('USER-1', `PARTY-${'y'.repeat(1005)}`, ending(END)),
  ]);
  let rcu = 0;
  const counting = withReplacedCalls(store, {
    get: async (...call) => {
      const result = await store.get(...call);
      rcu += result.rcu;
      return result;
    },
    query: async (request) => {
      const page = await store.query(request);
      rcu += page.rcu;
      return page;
    },
  });
  const result = await deleteEnded(graph, { store: counting, ...tableAt(END) });
  // The search for the edge of a hashed key is counted, too.
  expect(result).toMatchObject({ deleted: 2, rcu });
});

it('leaves mirrored edges to the mirror', async () => {
  const { graph, store } = await partyTable(
    [visit('USER-1', 'PARTY-1', { until: { N: String(END) } })],
    partyGraph('until'),
  );
  expect(await deleteEnded(graph, { store, ...tableAt(END) })).toMatchObject({ deleted: 0 });
});

it('is done by the worker, and by a call of the redrive function', async () => {
  const over = 1_000_000_000;
  const { graph, store, streams, streamArn, projectAll, reader } = await openTable(partyGraph());
  await store.put(visit('USER-1', 'PARTY-1', ending(over)));
  await store.put(visit('USER-1', 'PARTY-2', ending(END)));
  const worker = createWorker(graph, { store, streams, streamArn, pollIntervalMs: 20, endedIntervalMs: 20 });
  const running = worker.run();
  await expect.poll(() => reader.degree('USER-1', 'VISITS')).toBe(1);
  await worker.stop();
  await running;
  const lines: object[] = [];
  const logger = { info: (fields: object) => lines.push(fields), warn() {}, error() {}, child: () => logger };
  await store.put(visit('USER-1', 'PARTY-3', ending(over)));
  while ((await projectAll()).records > 0);
  const handler = redriveHandler(graph, { store, logger: logger as never });
  const invocation = { awsRequestId: '1', getRemainingTimeInMillis: () => 60_000 } as never;
  expect(await handler({ ended: true }, invocation)).toMatchObject({ entries: 0, batchItemFailures: [] });
  expect(lines).toContainEqual({ deleted: 1, left: false });
  const stored = async (party: string) =>
    (await store.get({ source: 'USER-1', target: `VISITS-${party}` }, { consistent: true })).item;
  expect([await stored('PARTY-3'), await stored('PARTY-2')]).toMatchObject([undefined, { guests: { N: '2' } }]);
});

it('goes by the clock of the table, whatever the clock of the machine that does it says', async () => {
  const aheadMs = 3_600_000;
  const soon = Math.floor(Date.now() / 1000) + 1_800;
  const { graph, client, store, streams, streamArn, projectAll } = await openTable(partyGraph());
  await store.put(visit('USER-1', 'PARTY-1', ending(soon)));
  await store.put(visit('USER-1', 'PARTY-2', ending(1_000_000_000)));
  while ((await projectAll()).records > 0);
  const stored = async (party: string) =>
    (await store.get({ source: 'USER-1', target: `VISITS-${party}` }, { consistent: true })).item;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => performance.timeOrigin + performance.now() + aheadMs);
  const local = await startLocal(graph, { engine: 'memory' });
  try {
    await local.store.put(visit('USER-1', 'PARTY-1', ending(soon)));
    await local.store.put(visit('USER-1', 'PARTY-2', ending(1_000_000_000)));
    const ofLocal = async (target: string) =>
      (await local.store.get({ source: 'USER-1', target }, { consistent: true })).item;
    await expect.poll(() => ofLocal('VISITS-PARTY-2'), { timeout: 20_000 }).toBeUndefined();
    expect(await ofLocal('VISITS-PARTY-1')).toBeDefined();
    // Each way to delete: a store of its own for the worker, one of the user's, the redrive function, a call.
    const given = new DynamoDBStore(client, graph.table);
    const worker = createWorker(graph, { store: given, streams, streamArn, pollIntervalMs: 20, endedIntervalMs: 20 });
    const running = worker.run();
    await expect.poll(() => stored('PARTY-2')).toBeUndefined();
    await worker.stop();
    await running;
    const invocation = { awsRequestId: '1', getRemainingTimeInMillis: () => 60_000 } as never;
    await redriveHandler(graph, { store: given })({ ended: true }, invocation);
    expect(await deleteEnded(graph, { store: given })).toMatchObject({ deleted: 0 });
    expect(await stored('PARTY-1')).toBeDefined();
  } finally {
    await local.stop();
    clock.mockRestore();
  }
});

it('follows the clock of a test, without sleeping', async () => {
  let seconds = END - 1;
  const now = () => seconds * 1000;
  const graph = partyGraph();
  const local = await startLocal(graph, { engine: 'memory', now });
  const [reader, writer] = [
    createReader(graph, { store: local.store, now }),
    createWriter(graph, { store: local.store, now }),
  ];
  await writer.putEdge('USER-1', 'VISITS', 'PARTY-1', { guests: 2, expiresAt: END });
  await local.worker.idle();
  expect([await reader.degree('USER-1', 'VISITS'), await reader.has('USER-1', 'VISITS', 'PARTY-1')]).toEqual([1, true]);
  seconds = END;
  expect(await reader.has('USER-1', 'VISITS', 'PARTY-1')).toBe(false);
  await expect.poll(() => reader.degree('USER-1', 'VISITS'), { timeout: 20_000 }).toBe(0);
  await local.stop();
});

it('deletes nothing where the table does not say its time', async () => {
  const { graph, store } = await partyTable(PARTIES);
  const silent = withReplacedCalls(store, { serverTime: async () => undefined });
  await expect(deleteEnded(graph, { store: silent })).rejects.toMatchObject({ code: 'no-server-time' });
});

it('says in an explanation where the edge is listed', async () => {
  const { graph, store } = await partyTable(PARTIES);
  const key = { source: 'USER-1', target: 'VISITS-PARTY-1' };
  expect(JSON.stringify(await explain(graph, { key, store, ...at(END) }))).toContain('edges.VISITS.expires');
  const item = { source: 'USER-1', target: '~ix/#expires/VISITS-PARTY-1' };
  expect(JSON.stringify(await explain(graph, { key: item, store }))).toContain('edges.VISITS.expires');
});
