import { describe, expect, it } from 'vitest';
import { createReader } from '../../../src/client/read/reader.ts';
import { createSession, type Session } from '../../../src/client/session/session.ts';
import { createWriter } from '../../../src/client/write/writer.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { allPages } from '../../support/reader.ts';

const graph = defineGraph({
  table: 'library',
  nodes: { BOOK: node({ search: { code: { native: true, project: 'ALL' } } }), READER: node() },
  edges: {
    LOAN: edge({
      from: 'BOOK',
      to: 'READER',
      edgeSet: false,
      inbound: { native: true, orders: { byDay: 'day' }, project: 'ALL' },
    }),
    HOLD: edge({
      from: 'BOOK',
      to: 'READER',
      edgeSet: false,
      keys: 'hashed',
      inbound: { native: true, orders: { byDay: 'day' } },
    }),
  },
});

const libraryOf = () => {
  const store = new MemoryStore(graph.table);
  return { store, reader: createReader(graph, { store }), writer: createWriter(graph, { store }) };
};

describe('rows of native lists', () => {
  it('are base items of any size: there is no index item that would be too large', async () => {
    const { reader, writer } = libraryOf();
    const note = 'x'.repeat(400 * 1024 - 200);
    await writer.putEdge('BOOK-a.1', 'LOAN', 'READER-a.1', { day: '2026-01-01', note });
    await writer.putNode('BOOK-a.1', { code: 'A', note });
    const { items } = await reader.inbound('READER-a.1', 'LOAN');
    expect(items.map(({ attributes }) => attributes.note === note)).toEqual([true]);
    expect((await reader.search('BOOK.code').equals('A')).items).toHaveLength(1);
  });

  it('come once, though the session writes between two pages, or lets go of what it wrote', async () => {
    const { reader, writer } = libraryOf();
    const books = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `BOOK-a.${number}` as const);
    for (const book of books) await writer.putEdge(book, 'LOAN', 'READER-a.1', { day: '2026-01-01', note: 'old' });
    const notesOf = async (session: Session, read: readonly (() => unknown)[]): Promise<[string, unknown][]> => {
      let pages = 0;
      const found = await allPages(async (cursor) => {
        const page = await reader.with(session).inbound('READER-a.1', 'LOAN', { limit: 2, cursor });
        await read[pages++]?.();
        return page;
      });
      return found.flat().map(({ source, attributes }) => [source, attributes.note]);
    };
    for (const own of books) {
      const session = createSession();
      const update = (set: object) => writer.with(session).updateEdge(own, 'LOAN', 'READER-a.1', { set });
      const found = await notesOf(session, [() => update({ note: 'own' })]);
      expect(found.map(([source]) => source).toSorted()).toEqual(books);
    }
    let now = Date.now();
    const session = createSession({ now: () => now, lowWatermark: async () => now, indexGraceMs: 0 });
    const mine = books.slice(3, 7);
    for (const book of mine)
      await writer.with(session).updateEdge(book, 'LOAN', 'READER-a.1', { set: { note: 'new' } });
    const found = await notesOf(session, [() => undefined, () => (now += 60_000)]);
    expect(session.keys()).toEqual([]);
    expect(found.slice(0, 4).map(([source]) => source)).toEqual(mine);
    expect(found.map(([source]) => source).toSorted()).toEqual(books);
  });
});

describe('values that a native index does not take', () => {
  it.each<[string, object, string]>([
    [
      'a number',
      { set: { code: 5 } },
      'attribute code is a key of the native index code-target-all, which takes only texts of 1 to 2048 bytes, but is a number',
    ],
    ['a sum', { add: { code: 5 } }, 'which takes only texts of 1 to 2048 bytes, but is a number'],
    ['a set', { addTo: { code: new Set(['a']) } }, 'but is a string set'],
    ['an empty text', { set: { code: '' } }, 'but has 0 bytes'],
    ['a long text', { set: { code: 'x'.repeat(2049) } }, 'but has 2049 bytes'],
  ])('are refused before DynamoDB refuses them: %s', async (_what, change, message) => {
    const { writer } = libraryOf();
    await writer.putNode('BOOK-a.1', {});
    await expect(writer.updateNode('BOOK-a.1', change)).rejects.toThrow(message);
  });
});
