import { expect, it } from 'vitest';
import { noVerdicts } from '../../../src/core/verdicts.ts';
import {
  checkAgeSeconds,
  LAST_CHECK,
  type NotedTotals,
  readLastCheck,
  saveLastCheck,
  saveRunAsLastCheck,
  saveShare,
} from '../../../src/trust/check/last-check.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const keyOfLastCheck = { source: { S: LAST_CHECK.source }, target: { S: LAST_CHECK.target } };
const HOUR_MS = 3_600_000;
const HOUR_SECONDS = 3_600;

it('the age of the last check is counted from the end of the last whole one; before it, from the first question', async () => {
  const { table } = goalGraph();
  const store = new MemoryStore(table, { indexes: [] });
  const ageAt = (hours: number) => checkAgeSeconds({ table, store, stats: { rcu: 0 } }, hours * HOUR_MS);
  expect(await ageAt(100)).toBe(0);
  expect(await ageAt(101)).toBe(HOUR_SECONDS);
  expect(await ageAt(130)).toBe(30 * HOUR_SECONDS);
  const drift = { missing: 0, stale: 0, orphan: 0 };
  await saveLastCheck(table, store, { drift, pending: 0, quarantined: 0, unregistered: 0, repaired: 0 }, 131 * HOUR_MS);
  expect(await ageAt(132)).toBe(HOUR_SECONDS);
  expect(await ageAt(160)).toBe(29 * HOUR_SECONDS);
});

it('a run began with its first share, and nobody knows when if one of them does not say', async () => {
  const { table } = goalGraph();
  const store = new MemoryStore(table, { indexes: [] });
  const totals = {
    drift: { missing: 0, stale: 0, orphan: 0 },
    pending: 0,
    quarantined: 0,
    unregistered: 0,
    repaired: 0,
  };
  const beganAtMs = async (): Promise<number | undefined> => {
    await saveRunAsLastCheck(table, store, 9_000);
    return readLastCheck((await store.get(LAST_CHECK, { consistent: true })).item)?.beganAtMs;
  };
  await saveShare(table, store, { worker: 0, untilMs: 5_000, beganAtMs: 2_000 }, totals, 4_000);
  await saveShare(table, store, { worker: 1, untilMs: 5_000, beganAtMs: 1_000 }, totals, 4_000);
  expect(await beganAtMs()).toBe(1_000);
  await saveShare(table, store, { worker: 2, untilMs: 5_000 }, totals, 4_000);
  expect(await beganAtMs()).toBeUndefined();
});

it.each([
  ['clean', {}],
  ['clean', { pending: 1 }],
  ['drift', { drift: { missing: 0, stale: 2, orphan: 0 } }],
  ['clean', { drift: { missing: 0, stale: 2, orphan: 0 }, repaired: 2 }],
  ['drift', { unregistered: 1, quarantined: 1 }],
  ['problems', { quarantined: 1 }],
  ['problems', { pending: 1, isClean: false }],
])('is %s, as the exit code says, after %j', async (verdict, found) => {
  const { table } = goalGraph();
  const store = new MemoryStore(table, { indexes: [] });
  const saved = async () => readLastCheck((await store.get(LAST_CHECK, { consistent: true })).item)?.verdict;
  const totals: NotedTotals = { ...noVerdicts(), repaired: 0, ...found };
  await saveLastCheck(table, store, totals, 9_000);
  expect(await saved()).toBe(verdict);
  if (totals.isClean !== undefined) return;
  await store.delete(LAST_CHECK);
  await saveShare(table, store, { worker: 0, untilMs: 5_000 }, { ...noVerdicts(), repaired: 0 }, 4_000);
  await saveShare(table, store, { worker: 1, untilMs: 5_000 }, totals, 4_000);
  await saveRunAsLastCheck(table, store, 9_000);
  expect(await saved()).toBe(verdict);
});

it.each(['null', '{}', '[1]', 'no json', '{"drift":5}'])('an item with %s is no last check', (state) => {
  expect(readLastCheck({ ...keyOfLastCheck, state: { S: state } })).toBeUndefined();
});
