import { expect, it } from 'vitest';
import { type CheckCursor, check, type Finding } from '../../../src/admin.ts';
import { textOfKey } from '../../../src/core/items/keys.ts';
import type { ItemKey } from '../../../src/core/store-port.ts';
import { defineGraph, edge, node } from '../../../src/index.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { keyOfItem } from '../../../src/store/table-walk.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL', search: { born: { type: 'date' } } }) },
  edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { since: 'since' } } }) },
});
const USERS = 12;
const EDGES = 7;

/** A projected table with a quarantined, a wrong and a missing item, and an item of an unknown type, in many partitions. */
async function tableWithFaults(): Promise<StreamedStore> {
  const store = new StreamedStore(graph);
  for (let i = 0; i < USERS; i++) {
    const id = `USER-${i}`;
    await store.producer(id, id, { born: { S: i % 3 === 0 ? 'long ago' : '2001-01-01' } });
    for (let to = 0; to < EDGES; to++) await store.producer(id, `KNOWS-USER-${to}`, { since: { S: `${to}` } });
    await store.producer(`OTHER-${i}`, `OTHER-${i}`, {});
    // Pages also end within partitions that a check skips.
    for (let j = 0; j < 4; j++) await store.put({ source: { S: `~edgeloom/ledger/a/${i}` }, target: { S: `k${j}` } });
  }
  await createProjector(graph, { store }).project(store.records);
  for (let i = 0; i < USERS; i += 4) await store.delete({ source: `USER-${i}`, target: '~view' });
  return store;
}

function told({ source, target, verdict }: Finding): string {
  return `${verdict} ${source} ${target}`;
}

/** Runs a check that crashes before a call, again and again, each time from the last reported cursor. */
async function checkInRuns(store: StreamedStore, callsOfRun: number, mode: 'report' | 'repair' = 'report') {
  let saved: { cursor: CheckCursor; findings: string[] } | undefined;
  for (let runs = 1; ; runs++) {
    const crash = new AbortController();
    // A run that is as long as the last one might never come further.
    let calls = callsOfRun * runs;
    const crashing = new Proxy(store, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        return (...parameters: unknown[]) => {
          if (--calls === 0) crash.abort();
          return member.apply(target, parameters) as unknown;
        };
      },
    });
    const findings = [...(saved?.findings ?? [])];
    try {
      const result = await check(graph, {
        ...{
          store: crashing,
          mode,
          segments: 4,
          pageItems: 3,
          graceMs: 1,
          resume: saved?.cursor,
          signal: crash.signal,
        },
        onFinding: (finding) => findings.push(told(finding)),
        onProgress: (_, cursor) => {
          saved = { cursor: structuredClone(cursor()), findings: [...findings] };
        },
      });
      const { rcu, wcu, superseded, unknownTypes, ...counts } = result;
      return { runs, counts, unknownTypes, findings: findings.sort() };
    } catch (error) {
      if (!crash.signal.aborted) throw error;
    }
  }
}

it('a check that is interrupted again and again finds and counts what one that is not does', async () => {
  const store = await tableWithFaults();
  const whole = await checkInRuns(store, Number.POSITIVE_INFINITY);
  expect(whole.counts).toMatchObject({ partitions: 2 * USERS, baseItems: USERS * (2 + EDGES), unknown: USERS });
  expect(whole.counts).toMatchObject({ quarantined: 4, drift: { missing: 3 } });
  for (const calls of [1, 2, 3, 4, 5, 8, 13, 21, 34]) {
    const { runs, ...result } = await checkInRuns(store, calls);
    expect(runs).toBeGreaterThan(1);
    expect({ calls, ...result }).toEqual({ calls, ...whole, runs: undefined });
  }
});

it('a repair that is interrupted again and again writes every quarantine entry that is missing', async () => {
  for (const calls of [1, 3, 8, 21]) {
    const store = await tableWithFaults();
    const entries = (): ItemKey[] =>
      [...store.items()]
        .map((item) => keyOfItem(graph.table, item))
        .filter(({ target }) => /^~quarantine/.test(target));
    const all = entries();
    for (const key of all) await store.delete(key);
    await checkInRuns(store, calls, 'repair');
    expect({ calls, entries: entries().map(textOfKey).sort() }).toEqual({ calls, entries: all.map(textOfKey).sort() });
  }
});
