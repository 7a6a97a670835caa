import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FeedEvent } from '../../src/client/feed/feed-change.ts';
import { observeHandler } from '../../src/deployment/lambda/observe-handler.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { check } from '../../src/trust/check/check.ts';
import { saveLastCheck } from '../../src/trust/check/last-check.ts';
import { readObserverProgress, TableMemory } from '../../src/trust/observe/memory.ts';
import { followGraph, follows, user } from '../support/follow-graph.ts';
import { testTable } from '../support/table.ts';

/** The observer as a function that a schedule calls. */

/** An engine on this machine shows records at once, and there is one clock. */
const limits = { lateMs: 200, skewMs: 100, graceMs: 300, listMs: 500 };
const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 60_000 };

let output = '';
beforeEach(() => {
  output = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** The values of a metric, in the order in which they were emitted. */
function emitted(name: string): number[] {
  return output
    .split('\n')
    .filter((line) => line.includes(`"${name}":`))
    .map((line) => (JSON.parse(line) as Record<string, number>)[name]!);
}

async function observedTable() {
  const table = await testTable(followGraph());
  const { graph, store, streams, streamArn } = table;
  for (let i = 0; i < 5; i++) await store.put(user(`${i}`));
  for (let i = 1; i < 5; i++) await store.put(follows('0', `${i}`));
  const project = async (): Promise<void> => {
    await createWorker(graph, { store, streams, streamArn, pollIntervalMs: 20 }).run({ untilIdle: true });
  };
  await project();
  const handler = observeHandler(graph, { store, stream: new DynamoDBStreamSource(streams, streamArn), limits });
  return { ...table, project, handler: () => handler({}, context) };
}

it('reads on from where the call before was, on the base of a check by others, and tells of drift', async () => {
  const { graph, store, project, handler } = await observedTable();
  const first = await handler();
  expect(first).toMatchObject({ verifiedThrough: null, drift: 0, endedBy: 'rest' });
  expect(first.heldBy).toContain('No check of the whole table');

  // A check that began before the positions shows nothing of what came between.
  const clean = {
    drift: { missing: 0, stale: 0, orphan: 0 },
    pending: 0,
    quarantined: 0,
    unregistered: 0,
    repaired: 0,
  };
  await saveLastCheck(graph.table, store, { ...clean, beganAtMs: Date.now() - 3_600_000 }, Date.now());
  expect((await handler()).verifiedThrough).toBeNull();

  await new Promise((done) => setTimeout(done, limits.lateMs + 2 * limits.skewMs + 50));
  const beganAtMs = Date.now();
  const result = await check(graph, { store, graceMs: 0 });
  await saveLastCheck(graph.table, store, { ...result, beganAtMs }, Date.now());
  const second = await handler();
  expect(Date.parse(second.verifiedThrough!)).toBeGreaterThan(beganAtMs - 5_000);
  expect(second).toMatchObject({ drift: 0 });

  await store.put(follows('1', '2'));
  await project();
  const third = await handler();
  expect(third).toMatchObject({ drift: 0, endedBy: 'rest' });
  expect(third.records).toBeGreaterThan(0);
  expect(third.verifiedThrough! > second.verifiedThrough!).toBe(true);

  const { item } = await store.get({ source: 'USER-1', target: '~view' }, { consistent: true });
  await store.put({ ...item, edgeSet: { SS: ['FOLLOWS-USER-nobody'] } });
  let calls = 0;
  // Each call waits for what the stream shows late, and not for more.
  for (let drift = 0; drift === 0 && calls < 10; calls++) ({ drift } = await handler());
  expect(emitted('ObservedDrift').at(-1)).toBe(2);
  expect(emitted('VerifiedAgeSeconds')).toHaveLength(4 + calls);
  expect(output).toContain('"source":"USER-1"');
  expect(output).not.toContain('nobody is nobody');
});

it('leaves the table to a process that runs, and tells what that has saved', async () => {
  const { store, handler } = await observedTable();
  await handler();
  const other = new TableMemory(store, Date.now);
  const state = await other.open();
  if (state === undefined || state === 'busy') throw new Error('the lease was not given back');
  await other.save({ ...state, throughMs: Date.now() - 120_000, heldBy: 'shard 7' });
  const answer = await handler();
  expect(answer).toMatchObject({ endedBy: 'busy', heldBy: 'shard 7' });
  expect(emitted('VerifiedAgeSeconds').at(-1)).toBeGreaterThanOrEqual(120);
});

it('tells the changes that it reads, once each over many calls', async () => {
  const { graph, store, streams, streamArn, project } = await observedTable();
  const told: FeedEvent[] = [];
  let isDown = false;
  const handler = observeHandler(graph, {
    ...{ store, stream: new DynamoDBStreamSource(streams, streamArn), limits },
    async feed(events) {
      if (isDown) throw new Error('the queue is down');
      told.push(...events);
    },
  });
  await handler({}, context);
  expect(told).toMatchObject([{ kind: 'resync', reason: 'The feed begins.' }]);
  await store.put(follows('1', '2'));
  await project();
  await handler({}, context);
  const changes = told.slice(1);
  expect(changes).toContainEqual(
    expect.objectContaining({ kind: 'view', id: 'USER-1', entered: [{ type: 'FOLLOWS', target: 'USER-2' }] }),
  );
  await handler({}, context);
  expect(told).toHaveLength(1 + changes.length);
  // A call that cannot tell saves nothing: the next one reads the same records.
  isDown = true;
  await store.put(follows('2', '3'));
  await project();
  await expect(handler({}, context)).rejects.toThrow('the queue is down');
  isDown = false;
  const { item } = await store.get({ source: '~edgeloom', target: 'observer' }, { consistent: true });
  const { places } = item as unknown as { places: { B: Uint8Array } };
  expect(gunzipSync(places.B).toString()).toContain('"told":{"');
  await expireLease(store);
  await handler({}, context);
  expect(told.slice(1 + changes.length)).toContainEqual(
    expect.objectContaining({ kind: 'view', id: 'USER-2', entered: [{ type: 'FOLLOWS', target: 'USER-3' }] }),
  );
  expect(new Set(told.map(({ eventId }) => eventId)).size).toBe(told.length);
});

it('asks the indexes over many calls, and tells what differs once', async () => {
  const { graph, store, streams, streamArn, project } = await observedTable();
  let laterMs = 0;
  const blind = withReplacedCalls(store, {
    query: async (request) => (request.index === undefined ? await store.query(request) : { ...NOTHING }),
  });
  const handler = observeHandler(graph, {
    ...{ store: Object.assign(blind, { scan: store.scan.bind(store) }), limits, indexShare: 1 },
    ...{ stream: new DynamoDBStreamSource(streams, streamArn), now: () => Date.now() + laterMs },
  });
  await handler({}, context);
  await store.put(follows('1', '2'));
  await project();
  for (const minutes of [0, 1, 1, 5, 15, 60]) {
    laterMs += minutes * 60_000;
    await handler({}, context);
  }
  const told = emitted('IndexDifferences');
  // The edges of before may come with it: an engine may give records from before the first call.
  expect(told[5]).toBeGreaterThan(0);
  expect(told).toEqual([0, 0, 0, 0, 0, told[5], 0]);
  expect(output).toContain('"source":"USER-1","target":"~ix/FOLLOWS-USER-2","index":"gsi0","kind":"missing"');
  expect((await readObserverProgress(store))?.sampled).toMatchObject({ asked: told[5], wrong: told[5] });
  expect(emitted('ObservedDrift')).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

/** A page of an index that shows nothing. */
const NOTHING = { items: [], count: 0, scanned: 0, rcu: 0.5 };

/** Ends the lease of a call that has failed, as a minute does. */
async function expireLease(store: Awaited<ReturnType<typeof observedTable>>['store']): Promise<void> {
  const key = { source: '~edgeloom', target: 'observer' };
  const { item } = await store.get(key, { consistent: true });
  const saved = JSON.parse((item!['state'] as { S: string }).S) as object;
  await store.put({ ...item!, state: { S: JSON.stringify({ ...saved, leaseUntilMs: 0 }) } });
}
