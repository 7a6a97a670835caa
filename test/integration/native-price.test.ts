import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** What a page of a native list costs, where readers show few of the index's rows. */

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    BOOK: node({ search: { shelf: { native: true } }, deletedWhen: 'void' }),
    READER: node(),
  },
  edges: {
    LOAN: edge({
      ...{ from: 'BOOK', to: 'READER', edgeSet: false, deletedWhen: 'void', expires: 'expiresAt' },
      inbound: { native: true, orders: { byDay: 'day' }, project: ['note'] },
    }),
  },
});

const LEFT_OUT = 600;
const ENDED = { N: String(Math.floor(Date.now() / 1000) - 3_600) };
/** Why no reader shows a row. */
const REASONS: Readonly<Record<string, { source?: string; attributes: object }>> = {
  ended: { attributes: { expiresAt: ENDED } },
  deleted: { attributes: { void: { BOOL: true } } },
  foreign: { source: 'READER', attributes: {} },
};

describe('a page of a native list', () => {
  let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
  let calls = 0;
  let reader: ReturnType<typeof createReader<typeof graph>>;

  beforeAll(async () => {
    table = await testTable(graph);
    const { store } = table;
    const counting = withReplacedCalls(store, {
      queryNative: async (request) => {
        calls += 1;
        return await store.queryNative(request);
      },
    });
    reader = createReader(graph, { store: counting });
    for (const [reason, { source = 'BOOK', attributes }] of Object.entries(REASONS)) {
      const edgeOf = (id: string, day: string, rest: object) => ({
        put: {
          ...{ source: { S: `${id}` }, target: { S: `LOAN-READER-${reason}` } },
          ...{ day: { S: day }, note: { S: 'n'.repeat(40) }, ...rest },
        },
      });
      const rows = Array.from({ length: LEFT_OUT }, (_, i) => edgeOf(`${source}-${i}`, '2026-01-01', attributes));
      await store.writeMany([...rows, edgeOf('BOOK-live', '2026-02-01', {})]);
    }
    const nodes = Array.from({ length: LEFT_OUT }, (_, i) => `BOOK-${String(i).padStart(4, '0')}`);
    const nodeOf = (id: string, rest: object) => ({
      put: { source: { S: id }, target: { S: id }, shelf: { S: 'A' }, ...rest },
    });
    await store.writeMany([...nodes.map((id) => nodeOf(id, REASONS['deleted']!.attributes)), nodeOf('BOOK-live', {})]);
    // Rows of 8 KB, of which none is shown.
    const large = Array.from({ length: 200 }, (_, i) => ({
      put: {
        ...{ source: { S: `BOOK-${i}` }, target: { S: 'LOAN-READER-large' }, day: { S: '2026-01-01' } },
        ...{ note: { S: 'n'.repeat(8_000) }, void: { BOOL: true } },
      },
    }));
    await store.writeMany(large);
  }, 120_000);

  async function priceOf<T extends { capacity?: { rcu: number } }>(ask: () => Promise<T>) {
    calls = 0;
    const answer = await ask();
    return { answer, calls, rcu: answer.capacity!.rcu };
  }

  it.each(Object.keys(REASONS))('reads over rows that are %s in few calls', async (reason) => {
    for (const where of [undefined, { note: 'n'.repeat(40) }]) {
      const options = { limit: 1, capacity: true, ...(where && { where }) } as const;
      const page = await priceOf(() => reader.inbound(`READER-${reason}`, 'LOAN', options));
      expect(page.answer.items.map(({ source }) => source)).toEqual(['BOOK-live']);
      expect(page.calls).toBeLessThan(8);
      // 600 rows of 160 bytes, at half a unit for each 4 KB, are some 12 units.
      expect(page.rcu).toBeLessThan(20);
    }
    const count = await priceOf(() => reader.inDegree(`READER-${reason}`, 'LOAN', { capacity: true }));
    expect(count.answer.count).toBe(1);
    expect(count.calls).toBeLessThan(3);
  });

  it('of a search, too', async () => {
    const page = await priceOf(() => reader.search('BOOK.shelf').equals('A', { limit: 1, capacity: true }));
    expect(page.answer.items.map(({ id }) => id)).toEqual(['BOOK-live']);
    expect(page.calls).toBeLessThan(8);
    expect(page.rcu).toBeLessThan(20);
  });

  it('ends early, with a cursor, where rows that it does not show cost 50 units', async () => {
    let cursor: string | undefined;
    let rcu = 0;
    let pages = 0;
    do {
      // Units are bounded, though nobody asks for them.
      const page = await reader.inbound('READER-large', 'LOAN', { limit: 5, ...(cursor && { cursor }) });
      const asked = await priceOf(() =>
        reader.inbound('READER-large', 'LOAN', { limit: 5, capacity: true, ...(cursor && { cursor }) }),
      );
      expect(page).toEqual(
        asked.answer.cursor === undefined ? { items: [] } : { items: [], cursor: asked.answer.cursor },
      );
      expect(asked.rcu).toBeLessThanOrEqual(50 + 10);
      ({ cursor } = page);
      rcu += asked.rcu;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBeGreaterThan(2);
    expect(rcu).toBeGreaterThan(190);
  });

  it('costs what its limit says where it leaves out nothing, however large the rows are', async () => {
    const large = Array.from({ length: 60 }, (_, i) => ({
      put: {
        ...{ source: { S: `BOOK-${i}` }, target: { S: 'LOAN-READER-whole' }, day: { S: '2026-01-01' } },
        ...{ note: { S: 'n'.repeat(20_000) } },
      },
    }));
    await table.store.writeMany(large);
    const page = await priceOf(() => reader.inbound('READER-whole', 'LOAN', { limit: 59, capacity: true }));
    expect(page.answer.items).toHaveLength(59);
    expect(page.answer.cursor).toBeDefined();
    expect(page.rcu).toBeGreaterThan(140);
  });
});
