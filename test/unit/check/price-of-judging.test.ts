import { expect, it } from 'vitest';
import { check } from '../../../src/admin.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const DAMAGED = 200;

/** A table of users, each with a wrong attribute in its view. */
async function damagedTable() {
  const graph = goalGraph();
  const store = new MemoryStore(graph.table);
  for (let i = 0; i < DAMAGED; i++) {
    const id = `USER-${i}`;
    await store.put({ source: { S: id }, target: { S: id }, name: { S: `User ${i}` } });
  }
  await check(graph, { store, mode: 'rebuild' });
  for (let i = 0; i < DAMAGED; i++) {
    const { item } = await store.get({ source: `USER-${i}`, target: '~view' }, { consistent: true });
    await store.put({ ...item, attributes: { M: { name: { S: 'wrong' } } } });
  }
  return { graph, store };
}

/** Counts the calls of a table, without those of the scan, and the units of the scan. */
function countingStore(store: MemoryStore) {
  const counts = { calls: 0, scanned: 0 };
  const counting = new Proxy(store, {
    get(table, name: keyof MemoryStore) {
      const method = table[name];
      if (typeof method !== 'function') return method;
      return async (...given: never[]) => {
        if (name !== 'scan') counts.calls += 1;
        // A call takes longer than what runs in this process.
        await new Promise((resolve) => setImmediate(resolve));
        const result = await (method as (...given: never[]) => Promise<{ rcu?: number }>).apply(table, given);
        if (name === 'scan') counts.scanned += result.rcu ?? 0;
        return result;
      };
    },
  });
  return { counting, counts };
}

it('a wrong view is judged for three read units, and a hundred of them in a few calls', async () => {
  const { graph, store } = await damagedTable();
  const { counting, counts } = countingStore(store);
  const { drift, rcu } = await check(graph, { store: counting, segments: 1, graceMs: 0 });
  expect(drift).toEqual({ missing: 0, stale: DAMAGED, orphan: 0 });
  expect((rcu - counts.scanned) / DAMAGED).toBeLessThanOrEqual(3);
  expect(counts.calls / DAMAGED).toBeLessThan(0.1);
});

it('a wrong view is repaired in the calls of a hundred', async () => {
  const { graph, store } = await damagedTable();
  const { counting, counts } = countingStore(store);
  const { repaired, rcu, wcu } = await check(graph, { store: counting, segments: 1, graceMs: 0, mode: 'repair' });
  expect({ repaired, wcu }).toEqual({ repaired: DAMAGED, wcu: DAMAGED });
  expect((rcu - counts.scanned) / DAMAGED).toBeLessThanOrEqual(5.5);
  expect(counts.calls / DAMAGED).toBeLessThan(0.2);
  expect((await check(graph, { store, graceMs: 0 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
});

it('a rebuild of many partitions takes the calls of a hundred for each hundred of them', async () => {
  const { graph, store } = await damagedTable();
  const { counting, counts } = countingStore(store);
  const { repaired } = await check(graph, { store: counting, segments: 1, mode: 'rebuild' });
  expect(repaired).toBe(DAMAGED);
  expect(counts.calls / DAMAGED).toBeLessThan(0.1);
});

it('the position of the consumer is asked at most three times a second, however much differs', async () => {
  const { graph, store } = await damagedTable();
  let nowMs = Date.now();
  const beganAtMs = nowMs;
  let questions = 0;
  const { drift } = await check(graph, {
    store,
    ...{ segments: 4, pageItems: 20, graceMs: 5_000, now: () => nowMs },
    wait: async (milliseconds) => {
      nowMs += milliseconds / 10;
    },
    consumer: {
      async appliedUpToMs() {
        questions += 1;
        // Some tenths of a second behind, so that each look waits.
        return nowMs - 400;
      },
    },
  });
  expect(drift.stale).toBe(DAMAGED);
  expect(questions).toBeLessThanOrEqual(((nowMs - beganAtMs) / 1000) * 3 + 1);
});
