import { describe, expect, it } from 'vitest';
import { followTouched, type TouchedPlaces, touchedPlaces } from '../../packages/studio/base/touched.ts';
import { Feed } from '../../src/client/feed/feed.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { derivedOf } from '../../src/core/plan/derive.ts';
import { withoutRegistry } from '../../src/registry/reader-lease.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL' }), USER: node({ view: 'ALL' }) },
  edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
});
const GRACE_MS = 3_000;

/** Places that are followed, how often something was told of them, and a clock that only the test moves. */
function followed(places: TouchedPlaces) {
  let nowMs = 0;
  let waiting: { untilMs: number; end: () => void }[] = [];
  const feed = new Feed(graph, {
    indexGraceMs: GRACE_MS,
    now: () => nowMs,
    wait: (ms, signal) =>
      new Promise((end, fail) => {
        waiting.push({ untilMs: nowMs + ms, end });
        signal?.addEventListener('abort', () => fail(signal.reason), { once: true });
      }),
  });
  const seen = { told: 0 };
  const leaving = new AbortController();
  const context = { graph, store: new MemoryStore(graph.table), leases: withoutRegistry(graph) } as never;
  const ended = followTouched(context, feed, touchedPlaces.parse(places), leaving.signal, () => {
    seen.told += 1;
  });
  /** Lets some time pass, and what waited for it be done. */
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
    const due = waiting.filter(({ untilMs }) => untilMs <= nowMs);
    waiting = waiting.filter((wait) => !due.includes(wait));
    for (const { end } of due) end();
    await new Promise(setImmediate);
  };
  const written = async (item: Item): Promise<void> => {
    const { source, target, ...rest } = item;
    feed.receive({ dynamodb: { Keys: { source, target } as never, NewImage: { source, target, ...rest } as Item } });
    await pass(0);
  };
  return { seen, pass, written, leaving, ended };
}

/** A node, and the item of an edge in a list. */
const nodeItem = (id: string): Item => ({ source: { S: id }, target: { S: id } });
function rowItem(source: string, user: string): Item {
  const target = `MEMBER-${user}`;
  const base: Item = { source: { S: source }, target: { S: target }, since: { S: '2026' } };
  const [[key, fields]] = [...derivedOf(graph, source, target, base, undefined).indexItems] as [[string, Item]];
  expect(stringOf(fields['gsi0pk'])).toBe(target);
  return { source: { S: source }, target: { S: key }, ...fields };
}

describe('places that are followed', () => {
  it('with a list are told of at the beginning, with each change, and once more when an index that lags has it', async () => {
    const { seen, pass, written, leaving, ended } = followed({
      sources: ['GOAL-1'],
      lists: [{ type: 'MEMBER', id: 'USER-1' }],
    });
    await pass(0);
    expect(seen.told).toBe(1);
    await pass(2 * GRACE_MS);
    await written(nodeItem('GOAL-2'));
    await written(rowItem('GOAL-2', 'USER-2'));
    expect(seen.told).toBe(1);
    let told = 1;
    for (const item of [nodeItem('GOAL-1'), rowItem('GOAL-2', 'USER-1')]) {
      await written(item);
      expect(seen.told).toBe(told + 1);
      await pass(GRACE_MS - 1);
      expect(seen.told).toBe(told + 1);
      await pass(1);
      expect(seen.told).toBe(told + 2);
      told += 2;
      // Then no more, also when the partitions of the lists are looked up again.
      for (let seconds = 0; seconds < 30; seconds++) await pass(1_000);
      expect(seen.told).toBe(told);
    }
    leaving.abort();
    await ended;
  });

  it('without a list are told of once', async () => {
    const { seen, pass, written, leaving, ended } = followed({ sources: ['GOAL-1'] });
    await pass(0);
    await written(nodeItem('GOAL-1'));
    for (let seconds = 0; seconds < 30; seconds++) await pass(1_000);
    expect(seen.told).toBe(2);
    leaving.abort();
    await ended;
  });
});
