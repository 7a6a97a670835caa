import { expect, it } from 'vitest';
import { checkAgeHours, saveLastCheck } from '../../../src/projecting/progress/last-check.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const HOUR_MS = 3_600_000;

it('the age of the last check is counted from the end of the last whole one; before it, from the first question', async () => {
  const { table } = goalGraph();
  const store = new MemoryStore(table, { indexes: [] });
  const ageAt = (hours: number) => checkAgeHours({ table, store, stats: { rcu: 0 } }, hours * HOUR_MS);
  expect(await ageAt(100)).toBe(0);
  expect(await ageAt(101)).toBe(1);
  expect(await ageAt(130)).toBe(30);
  const drift = { missing: 0, stale: 0, orphan: 0 };
  await saveLastCheck(table, store, { drift, pending: 0, quarantined: 0, unregistered: 0, repaired: 0 }, 131 * HOUR_MS);
  expect(await ageAt(132)).toBe(1);
  expect(await ageAt(160)).toBe(29);
});
