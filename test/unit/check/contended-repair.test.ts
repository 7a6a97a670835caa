import { expect, it } from 'vitest';
import { numberOf } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { check } from '../../../src/trust/check/check.ts';
import type { Finding } from '../../../src/trust/check/finding.ts';
import { Repairer } from '../../../src/trust/repair/repairer.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { HookedStore } from '../../support/hooked-store.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const VIEW = { source: 'USER-1', target: '~view' };

/** A table of two users, of whom nothing is projected; a projector writes the view of one right before each repair of it. */
async function contendedTable() {
  const graph = goalGraph();
  const inner = new MemoryStore(graph.table);
  for (const id of ['USER-1', 'USER-2']) {
    await inner.put({ source: { S: id }, target: { S: id }, name: { S: 'Terui' } });
  }
  const clock = { nowMs: Date.now() };
  const store = Object.assign(
    new HookedStore(inner, async ({ method, keys }) => {
      clock.nowMs += 50;
      if (method !== 'update' || !keys.includes('USER-1 ~view')) return;
      const { item } = await inner.get(VIEW, { consistent: true });
      const revision = Number(numberOf(item?.['r']) ?? 0) + 1;
      await inner.put({
        ...{ source: { S: VIEW.source }, target: { S: VIEW.target } },
        ...{ edgeSet: { SS: ['GOALMEMBERSHIP-USER-9'] }, r: { N: String(revision) }, model: { S: graph.fingerprint } },
      });
    }),
    { scan: inner.scan.bind(inner) },
  );
  const wait = async (milliseconds: number): Promise<void> => {
    clock.nowMs += milliseconds;
  };
  return { graph, inner, store, now: () => clock.nowMs, wait };
}

it('a repair ends beside a writer that changes the item before each of its tries, and says so', async () => {
  const { graph, inner, store, now, wait } = await contendedTable();
  const actions: string[] = [];
  const { drift, repaired } = await check(graph, {
    ...{ store, now, wait, mode: 'repair', graceMs: 0, segments: 1 },
    onRepair: (action) => actions.push(action),
  });
  const found = drift.missing + drift.stale + drift.orphan;
  expect(repaired).toBe(found - 1);
  expect(actions.filter((action) => action.startsWith('cannot'))).toEqual([
    'cannot repair USER-1 ~view: it was written during each attempt, or other repairs took the time; run this once more',
  ]);
  expect((await inner.get({ source: 'USER-2', target: '~view' }, { consistent: true })).item).toBeDefined();
});

it('a repair that has begun ends soon after the time is over', async () => {
  const { graph, store, now, wait } = await contendedTable();
  let endsAtMs = Number.POSITIVE_INFINITY;
  await check(graph, {
    ...{ store, now, wait, mode: 'repair', graceMs: 0, segments: 1 },
    remainingMs: () => endsAtMs - now(),
    onRepair: (action) => {
      if (action === 'repair USER-1 ~view') endsAtMs = now();
    },
  });
  expect(endsAtMs).toBeLessThan(now());
  expect(now() - endsAtMs).toBeLessThan(5_000);
});

it('names the base items whose quarantine entries it cannot write, and tries the others', async () => {
  const graph = goalGraph();
  const inner = new MemoryStore(graph.table);
  const bases = Array.from({ length: 150 }, (_, i) => ({ source: `GOAL-${i}`, target: 'GOALMEMBERSHIP-USER-1' }));
  for (const { source, target } of bases)
    await inner.put({ source: { S: source }, target: { S: target }, memberRole: { S: 'NO SUCH ROLE' } });
  let nowMs = Date.now();
  // Another process writes the entry of the first edge before each attempt.
  const store = new HookedStore(inner, async ({ method, keys }) => {
    const key = keys.find((one) => one.startsWith('GOAL-0 ~quarantine'));
    if (method !== 'update' || key === undefined) return;
    nowMs += 5_000;
    const target = key.slice('GOAL-0 '.length);
    const r = { N: String(nowMs) };
    await inner.put({ source: { S: 'GOAL-0' }, target: { S: target }, r });
  });
  const actions: string[] = [];
  const wait = async (milliseconds: number): Promise<void> => {
    nowMs += milliseconds;
  };
  const options = { graph, store, now: () => nowMs, wait, onRepair: (action: string) => void actions.push(action) };
  await new Repairer(options).writeEntries(bases);
  expect(actions.filter((action) => action.startsWith('cannot'))).toEqual([
    expect.stringMatching(/^cannot quarantine GOAL-0 GOALMEMBERSHIP-USER-1: it was written during each attempt/),
  ]);
  const entries = [...inner.items()].filter(({ target }) => target && 'S' in target && /^~quarantine/.test(target.S));
  expect(entries).toHaveLength(bases.length);
});

it('counts what it has repaired in a partition for whose rest there was no time', async () => {
  const graph = defineGraph({
    table: 'records',
    nodes: { GOAL: node({ view: 'ALL', search: { status: {} } }) },
    edges: {},
  });
  const table = new MemoryStore(graph.table);
  await table.put({ source: { S: 'GOAL-1' }, target: { S: 'GOAL-1' }, status: { S: 'open' } });
  let nowMs = Date.now();
  const endsAtMs = nowMs + 1_500;
  const options = { store: table, now: () => nowMs, mode: 'repair', segments: 1 } as const;
  const findings: string[] = [];
  const onFinding = ({ target, verdict }: Finding) => void findings.push(`${target} ${verdict}`);
  const { cursor, ...first } = await check(graph, {
    ...{ ...options, onFinding, graceMs: 1_000, remainingMs: () => endsAtMs - nowMs },
    wait: async (milliseconds) => {
      nowMs += milliseconds;
      // The view changes between the looks, so it takes a third one, for which there is no time.
      await table.put({
        ...{ source: { S: 'GOAL-1' }, target: { S: '~view' }, edgeSet: { SS: ['X-1'] } },
        ...{ r: { N: '1' }, model: { S: graph.fingerprint } },
      });
    },
  });
  expect({ findings, repaired: first.repaired }).toEqual({ findings: ['~ix/status missing'], repaired: 1 });
  const second = await check(graph, { ...options, onFinding, graceMs: 0, resume: cursor! });
  expect(findings).toEqual(['~ix/status missing', '~view stale']);
  expect(second).toMatchObject({ drift: { missing: 1, stale: 1, orphan: 0 }, repaired: 2 });
});
