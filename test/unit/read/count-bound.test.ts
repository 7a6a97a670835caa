import { describe, expect, it } from 'vitest';
import { createReader } from '../../../src/client/read/reader.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import { withoutRegistry } from '../../../src/registry/reader-lease.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

/** What a count of a derived list costs: DynamoDB counts, a page of 1 MB for each call. */

const graph = defineGraph({
  table: 'library',
  nodes: { BOOK: node({ search: { title: { shards: 1, project: ['text'] } } }), READER: node() },
  edges: {
    LOAN: edge({
      ...{ from: 'BOOK', to: 'READER', edgeSet: false },
      inbound: { orders: { byDay: 'day' }, shards: 2, project: ['text'] },
    }),
  },
});
const BOOKS = 600;
const TEXT = { S: 'x'.repeat(8_000) };

async function filledReader() {
  const store = new MemoryStore(graph.table);
  for (let book = 0; book < BOOKS; book++) {
    const source = `BOOK-${book}`;
    for (const [target, image] of [
      [source, { title: { S: `Title ${book}` }, text: TEXT }],
      ['LOAN-READER-1', { day: { S: String(book) }, text: TEXT }],
    ] as const)
      for (const [key, fields] of derivedOf(graph, source, target, image).indexItems)
        await store.put({ ...fields, source: { S: source }, target: { S: key } });
  }
  return createReader(graph, { store, leases: withoutRegistry(graph) });
}

describe('a count of a derived list', () => {
  it('is of all rows without maxRcu, and with as much as they cost', async () => {
    const reader = await filledReader();
    const all = await reader.inDegree('READER-1', 'LOAN', { capacity: true });
    expect(all).toEqual({ count: BOOKS, capacity: all.capacity });
    expect(all.capacity!.rcu).toBeGreaterThan(500);
    expect(await reader.inDegree('READER-1', 'LOAN', { maxRcu: all.capacity!.rcu })).toEqual({ count: BOOKS });
    expect(await reader.search('BOOK.title').count({}, { maxRcu: 10_000 })).toEqual({ count: BOOKS });
  });

  it('says that there may be more where its units are spent, within one call of each partition', async () => {
    const reader = await filledReader();
    const asked = { maxRcu: 100, capacity: true } as const;
    for (const answer of [
      await reader.inDegree('READER-1', 'LOAN', asked),
      await reader.search('BOOK.title').count({}, asked),
    ]) {
      expect(answer.truncated).toBe(true);
      expect(answer.count).toBeGreaterThan(0);
      expect(answer.count).toBeLessThan(BOOKS);
      expect(answer.capacity!.rcu).toBeLessThan(100 + 2 * 130);
    }
    await expect(reader.inDegree('READER-1', 'LOAN', { maxRcu: 0.5 })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    await expect(reader.shards('BOOK.title', { maxRcu: 1 } as never)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('no option "maxRcu"'),
    });
  });
});
