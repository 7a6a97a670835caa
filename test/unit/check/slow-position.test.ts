import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { check } from '../../../src/trust/check/check.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const DAMAGED = 31;
/** Longer than the consumer may take: no answer that was asked after an observation comes before its time is over. */
const LOOK_MS = 300;
const GRACE_MS = 100;

it('real damage is found, and mended, however slowly the position of a consumer at its end is told', async () => {
  const graph = goalGraph();
  const store = new MemoryStore(graph.table);
  for (let i = 0; i < DAMAGED; i++) {
    await store.put({ source: { S: `USER-${i}` }, target: { S: `USER-${i}` }, name: { S: `User ${i}` } });
  }
  let [looks, atOnce, mostAtOnce] = [0, 0, 0];
  const consumer = {
    async appliedUpToMs(): Promise<number> {
      looks += 1;
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      const lookedAtMs = Date.now();
      // Looks share what they read from: each makes the others slower.
      await delay(LOOK_MS * atOnce);
      atOnce -= 1;
      return lookedAtMs;
    },
  };
  const options = { store, consumer, graceMs: GRACE_MS };
  const found = await check(graph, { ...options, mode: 'repair' });
  expect(found).toMatchObject({ pending: 0, drift: { missing: 3 * DAMAGED }, repaired: 3 * DAMAGED });
  expect(mostAtOnce).toBe(1);
  expect(looks).toBeLessThan(10);
  expect(await check(graph, options)).toMatchObject({ pending: 0, drift: { missing: 0 } });
});
