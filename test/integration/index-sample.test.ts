import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { status } from '../../src/trust/explain/status.ts';
import { type IndexDifference, IndexSample } from '../../src/trust/observe/index-sample.ts';
import { observe } from '../../src/trust/observe/observe.ts';
import { follows, user } from '../support/follow-graph.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** The sample of the indexes, with a store whose indexes do not follow the table as they should. */

const MINUTE = 60_000;
/** An engine on this machine shows records at once, and there is one clock. */
const LIMITS = { lateMs: 200, skewMs: 100, graceMs: 300, listMs: 500 };

/** The index has key attributes with names of its own. */
const graphOf = () =>
  defineGraph({
    table: { name: uniqueTableName(), indexes: { gsi0: { name: 'GSI1', partitionKey: 'GSI1PK', sortKey: 'GSI1SK' } } },
    nodes: { USER: node({ view: 'ALL' }) },
    edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
  });

/** An observed table with one edge in its index, which `shown` may tamper with. */
async function sampledTable() {
  const { graph, store, streams, streamArn, projectAll } = await testTable(graphOf());
  let [laterMs, rcu] = [0, 0];
  const index = { shown: async (items: Item[]): Promise<Item[]> => items };
  const tampered = withReplacedCalls(store, {
    async query(request) {
      const page = await store.query(request);
      if (request.index === undefined) return page;
      rcu += page.rcu;
      return { ...page, items: await index.shown(page.items) };
    },
    async get(key, options) {
      const result = await store.get(key, options);
      if (key.target.startsWith('~ix/')) rcu += result.rcu;
      return result;
    },
  });
  const indexSample = new IndexSample(graph, 1);
  const found: IndexDifference[] = [];
  const run = async (until: { untilVerified: true } | { untilAtRest: true } = { untilAtRest: true }) => {
    const result = await observe({
      ...{ graph, indexSample, limits: LIMITS, ...until },
      store: Object.assign(tampered, { scan: store.scan.bind(store) }),
      source: new DynamoDBStreamSource(streams, streamArn),
      now: () => Date.now() + laterMs,
      wait: (milliseconds) => delay(Math.min(milliseconds, 50)),
      lowWatermark: async () => Date.now() + laterMs,
      onIndexDifference: (difference) => void found.push(difference),
    });
    expect(result).toMatchObject({ endedBy: 'untilVerified' in until ? 'verified' : 'rest', drift: [] });
    return result.verifiedThroughMs!;
  };
  await store.put(user('1'));
  await projectAll();
  await run({ untilVerified: true });
  await store.put(follows('1', '2'));
  await projectAll();
  return {
    ...{ graph, store, projectAll, found, index },
    /** Runs the observer after some minutes; gives the units that questions have cost. */
    async after(minutes: number) {
      laterMs += minutes * MINUTE;
      rcu = 0;
      const verifiedThroughMs = await run();
      return { rcu, verifiedThroughMs };
    },
    told: () => status(graph, { store }),
  };
}

describe('the sample of the indexes', () => {
  it('finds what an index lacks after its waits, and not before; the time moves meanwhile', async () => {
    const { after, found, index, told } = await sampledTable();
    index.shown = async () => [];
    let { verifiedThroughMs } = await after(0);
    for (const minutes of [1, 1, 5, 15]) {
      expect(found).toEqual([]);
      expect((await told()).indexSample).toMatchObject({ asked: 0, wrong: 0, failure: null });
      const next = await after(minutes);
      expect(next.verifiedThroughMs).toBeGreaterThan(verifiedThroughMs + minutes * MINUTE - 10_000);
      verifiedThroughMs = next.verifiedThroughMs;
    }
    const item = 'USER-1 ~ix/FOLLOWS-USER-2';
    expect(found).toEqual([{ source: 'USER-1', target: '~ix/FOLLOWS-USER-2', index: 'gsi0', kind: 'missing' }]);
    const { indexSample, problems, drift } = await told();
    expect(indexSample).toMatchObject({ asked: 1, wrong: 1, items: [item] });
    expect(problems.join()).toMatch(/The indexes differ from the table in 1 of 1 sampled item since .*AWS support/);
    expect(drift).toBe(0);
  });

  it('takes an entry that comes late as right, at two reads a look', async () => {
    const { after, found, index, told } = await sampledTable();
    await after(0);
    index.shown = async () => [];
    await after(1);
    index.shown = async (items) => items;
    // The item, read consistently, and its place in the index.
    expect((await after(1)).rcu).toBe(1.5);
    for (const minutes of [5, 15, 60]) expect((await after(minutes)).rcu).toBe(0);
    expect(found).toEqual([]);
    expect(await told()).toMatchObject({ indexSample: { asked: 1, wrong: 0, items: [] }, problems: [] });
  });

  it('finds an entry at a place that its item has left', async () => {
    const { after, store, projectAll, found, index } = await sampledTable();
    await after(0);
    const page = await store.query({ index: 'gsi0', partition: 'FOLLOWS-USER-2' });
    expect(page.items).toHaveLength(1);
    await store.put(follows('1', '2', '2026-02-02'));
    await projectAll();
    await after(0);
    index.shown = async (items) => (items.length === 0 ? page.items : items);
    for (const minutes of [1, 1, 5, 15]) {
      expect(found).toEqual([]);
      await after(minutes);
    }
    expect(found).toMatchObject([{ kind: 'left-over' }]);
  });

  it('goes on where an index refuses, and tells why', async () => {
    const { after, found, index, told } = await sampledTable();
    await after(0);
    index.shown = async () => {
      throw new StoreError('retryable', 'ThrottlingException', 'The index is throttled.');
    };
    await after(1);
    expect((await told()).indexSample).toMatchObject({ asked: 0, failure: 'The index is throttled.' });
    index.shown = async (items) => items;
    await after(1);
    expect((await told()).indexSample).toMatchObject({ asked: 1, wrong: 0, failure: null });
    expect(found).toEqual([]);
  });
});
