import { createReader, createWriter, defineGraph, edge, node } from 'edgeloom';
import type { Example } from './example.ts';

const graph = defineGraph({
  table: 'books',
  nodes: { BOOK: node({ view: ['title'] }), AUTHOR: node({ view: 'ALL' }), SHELF: node({ view: 'ALL' }) },
  edges: {
    // Copies the author's name and birth year into each book's view. A change to the author updates every book.
    WRITTEN_BY: edge({ from: 'BOOK', to: 'AUTHOR', copy: ['name', 'birthYear'] }),
    // Copies nothing: the edge only lists a shelf's books.
    ON_SHELF: edge({ from: 'BOOK', to: 'SHELF', edgeSet: false, inbound: { orders: { byTitle: 'title' } } }),
  },
});

const BOOKS: [id: `BOOK-${string}`, title: string, author: `AUTHOR-${string}`][] = [
  ['BOOK-1', 'It', 'AUTHOR-king'],
  ['BOOK-2', 'The Shining', 'AUTHOR-king'],
  ['BOOK-3', 'Emma', 'AUTHOR-austen'],
];

/** Stores the parent's attributes with each child; the stream keeps them fresh. */
export const duplicatedData: Example = {
  title: 'duplicated data, kept fresh by the stream: books that show their authors',
  graph,
  async run({ store, projected }) {
    const writer = createWriter(graph, { store });
    const reader = createReader(graph, { store });
    await writer.batch((batch) => {
      batch.putNode('AUTHOR-king', { name: 'Steven King', birthYear: 1947, site: 'not copied' });
      batch.putNode('AUTHOR-austen', { name: 'Jane Austen', birthYear: 1775 });
      for (const [id, title, author] of BOOKS) {
        batch.putNode(id, { title });
        batch.putEdge(id, 'WRITTEN_BY', author);
        batch.putEdge(id, 'ON_SHELF', 'SHELF-1', { title });
      }
    });
    await projected();
    const authors = async (): Promise<string[]> => {
      const { items } = await reader.page('SHELF-1', 'ON_SHELF');
      return items.map(({ attributes, edges }) => {
        return `${attributes?.['title']}: ${edges.WRITTEN_BY[0]?.node.attributes?.['name']}`;
      });
    };
    const before = await authors();
    // A plain write of the parent: the writer doesn't need to know its children.
    await writer.putNode('AUTHOR-king', { name: 'Stephen King', birthYear: 1947, site: 'not copied' });
    await projected();
    const { items, calls } = await reader.page('SHELF-1', 'ON_SHELF');
    const found = items.flatMap(({ edges }) => edges.WRITTEN_BY.map(({ node }) => [node.id, node.attributes]));
    return {
      'the shelf': before,
      'after the author was corrected': await authors(),
      'the authors, from the copies': Object.fromEntries(found),
      'calls for the page': calls,
    };
  },
};
