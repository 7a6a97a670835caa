import { describe, expect, it } from 'vitest';
import { createReader } from '../../../src/client/read/reader.ts';
import { createWriter } from '../../../src/client/write/writer.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({
  table: 'library',
  tenantSeparator: '.',
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

  it('leave edges from another tenant alone where a node is deleted with its edges', async () => {
    const { store, writer } = libraryOf();
    await writer.putEdge('BOOK-a.1', 'LOAN', 'READER-a.1', { day: '2026-01-01' });
    await writer.putEdge('BOOK-a.1', 'HOLD', 'READER-a.1', { day: '2026-01-01' });
    const { items } = await store.query({ partition: 'BOOK-a.1', consistent: true });
    // No writer takes such an edge: it is another program's.
    const strangers = items.map((item) => ({ ...item, source: { S: 'BOOK-b.1' } }));
    for (const stranger of strangers) await store.put(stranger);
    expect(await writer.deleteNodeWithEdges('READER-a.1')).toMatchObject({ edges: 2 });
    expect((await store.query({ partition: 'BOOK-b.1', consistent: true })).items).toEqual(strangers);
  });
});
