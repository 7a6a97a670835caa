import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type CheckCursor, check } from '../../../src/admin.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const PARTITIONS = 40;

/** A check of users that nothing was projected of; gives the most suspects that a cursor named on the way. */
async function mostSuspects(limit: number | undefined, graceMs: number): Promise<number> {
  const graph = goalGraph();
  const store = new MemoryStore(graph.table);
  for (let i = 0; i < PARTITIONS; i++) {
    await store.put({ source: { S: `USER-${i}` }, target: { S: `USER-${i}` }, name: { S: `User ${i}` } });
  }
  let cursor: CheckCursor | undefined;
  let nowMs = Date.now();
  const { drift } = await check(graph, {
    store,
    segments: 1,
    graceMs,
    now: () => nowMs,
    // Behind all that is ready to go on.
    wait: async (milliseconds) => {
      await setImmediate();
      nowMs += milliseconds;
    },
    mostSuspects: limit,
    onProgress: (_, where) => {
      cursor = where();
    },
  });
  expect(drift).toEqual({ missing: 3 * PARTITIONS, stale: 0, orphan: 0 });
  return cursor!.suspects.length;
}

it('a check waits for its suspects before there are more than it may name in a cursor', async () => {
  // Long enough for the scan to end before the first of them is settled.
  expect(await mostSuspects(undefined, 2_000)).toBe(PARTITIONS);
  expect(await mostSuspects(5, 20)).toBeLessThanOrEqual(5 + 1);
});
