import { describe, expect, it } from 'vitest';
import { nativeChanges } from '../../../src/client/feed/native-changes.ts';
import { WatchedList } from '../../../src/client/feed/watched-list.ts';
import { resolveInboundQuery } from '../../../src/client/read/lists/inbound.ts';
import { readContext } from '../../../src/client/read/reader-options.ts';
import type { ReadContext } from '../../../src/client/read/request/read-context.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { withReplacedCalls } from '../../../src/store/wrapped.ts';
import type { ChangedItem } from '../../../src/stream/changed-items.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

/** What a watched list costs whose index has many items that it leaves out. */

const graph = defineGraph({
  table: 'library',
  nodes: { BOOK: node(), READER: node() },
  edges: {
    NATIVE: edge({
      ...{ from: 'BOOK', to: 'READER', edgeSet: false, deletedWhen: 'void' },
      inbound: { native: true, orders: { byDay: 'day' }, project: ['note'] },
    }),
    DERIVED: edge({
      ...{ from: 'BOOK', to: 'READER', edgeSet: false },
      inbound: { orders: { byDay: 'day' }, project: ['note', 'state'] },
    }),
  },
});

/** Edges of 8 KB each that the list leaves out: soft-deleted ones, or those that no filter lets pass. */
const LEFT_OUT = 200;

type Type = 'NATIVE' | 'DERIVED';

const baseItem = (type: Type, book: number, isShown: boolean): Item => ({
  ...{ source: { S: `BOOK-${String(book).padStart(3, '0')}` }, target: { S: `${type}-READER-1` } },
  ...{ day: { S: `2026-01-01 ${String(book).padStart(3, '0')}` }, note: { S: 'n'.repeat(8_000) } },
  ...(!isShown && type === 'NATIVE' && { void: { BOOL: true } }),
  state: { S: isShown ? 'OPEN' : 'DONE' },
});

/** A table with edges that a list leaves out, and two behind them that it shows; with the list, and what reading it has cost. */
async function table(type: Type, { maxRcu, isReverse = false }: { maxRcu?: number; isReverse?: boolean } = {}) {
  const stored = new MemoryStore(graph.table);
  const spent = { calls: 0, rcu: 0 };
  const noting = async <T extends { rcu: number }>(call: Promise<T>): Promise<T> => {
    const result = await call;
    spent.calls += 1;
    spent.rcu += result.rcu;
    if (spent.calls > 1_000) throw new Error('The list is read without end.');
    return result;
  };
  const store = withReplacedCalls(stored as Store, {
    query: (request) => noting(stored.query(request)),
    queryNative: (request) => noting(stored.queryNative(request)),
  });
  for (let book = 0; book < LEFT_OUT + 2; book++) {
    const base = baseItem(type, book, book >= LEFT_OUT);
    const source = (base['source'] as { S: string }).S;
    await stored.put(base);
    if (type === 'NATIVE') continue;
    for (const [target, fields] of derivedOf(graph, source, `${type}-READER-1`, base).indexItems)
      await stored.put({ ...fields, source: { S: source }, target: { S: target }, r: { N: '1' } });
  }
  const context: ReadContext = readContext(graph, { store });
  const filter = type === 'DERIVED' ? { where: { state: 'OPEN' } } : {};
  const resolved = resolveInboundQuery(context, 'READER-1', type, { ...filter, ...(maxRcu && { maxRcu }) });
  const list = new WatchedList<unknown>(
    { ...resolved.list, reverse: isReverse, limit: 2, resultOf: (item: Item) => item['source'] },
    10_000,
  );
  return { list, spent, begin: () => list.begin(context, () => 0), complete: () => list.complete(context, () => 0) };
}

/** What the stream tells where an edge that the list shows is deleted. */
function leaving(type: Type, book: number): ChangedItem[] {
  const oldImage = baseItem(type, book, true);
  const source = (oldImage['source'] as { S: string }).S;
  const target = `${type}-READER-1`;
  if (type === 'NATIVE')
    return nativeChanges(graph, { dynamodb: { SequenceNumber: '1' } }, { source, target, oldImage });
  return [...derivedOf(graph, source, target, oldImage).indexItems].map(([key, fields]) => ({
    ...{ source, target: key, oldImage: { ...fields, source: { S: source }, target: { S: key }, r: { N: '1' } } },
  }));
}

describe.each(['NATIVE', 'DERIVED'] as const)('a watched %s list behind many items that it leaves out', (type) => {
  it('is refused where its units are spent before it has its rows', async () => {
    const { spent, begin } = await table(type);
    await expect(begin()).rejects.toMatchObject({ code: 'list-not-filled' });
    // The bound, and as much as the last items are larger than those before.
    expect(spent.rcu).toBeLessThan(50 + 10);
    expect(spent.calls).toBeLessThan(10);
  });

  it('has its rows where it may cost as much as that', async () => {
    const { list, spent, begin } = await table(type, { maxRcu: 1_000 });
    await begin();
    expect(list.rows.map((row) => list.resultOf(row))).toEqual([{ S: 'BOOK-200' }, { S: 'BOOK-201' }]);
    expect(spent.rcu).toBeGreaterThan(190);
  });

  it('is refused once a row has left and its units do not find another one, while the index still shows the row', async () => {
    const { list, spent, begin, complete } = await table(type, { isReverse: true });
    await begin();
    expect(list.rows).toHaveLength(2);
    for (const change of leaving(type, LEFT_OUT + 1)) list.receive(change, 1_000);
    const before = { ...spent };
    await expect(complete()).rejects.toMatchObject({ code: 'list-not-filled' });
    expect(spent.rcu - before.rcu).toBeLessThan(50 + 10);
  });
});
