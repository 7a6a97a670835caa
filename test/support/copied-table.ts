import { createWriter } from '../../src/client/write/writer.ts';
import { canonicalText, type Item } from '../../src/core/items/attribute-value.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { bookGraph } from './book-graph.ts';
import { checkTools } from './checked-table.ts';
import { testTable, uniqueTableName } from './table.ts';

/** Children that a fan-out visits before its own record goes on. */
const PAGE = 2;

/** A table of books and authors, projected: each book has the first author and one of its own. */
export async function copiedTable(books = 5) {
  const table = await testTable(bookGraph(uniqueTableName()));
  const { graph, store } = table;
  const writer = createWriter(graph, { store });
  const projector = createProjector(graph, { store, fanOutPageSize: PAGE });
  const tools = checkTools(graph, store);
  let read = 0;
  let delivered: Promise<unknown> = Promise.resolve();

  /** Projects records that came into the stream since the last call, one by one; at most so many. Gives how many. */
  function deliver(limit = Number.POSITIVE_INFINITY): Promise<number> {
    // One after the other, as a shard has it.
    const delivery = delivered.then(() => deliverUpTo(limit));
    delivered = delivery;
    return delivery;
  }

  async function deliverUpTo(limit: number): Promise<number> {
    let count = 0;
    for (;;) {
      const fresh = (await table.allRecords()).slice(read, read + limit - count);
      if (fresh.length === 0) return count;
      for (const record of fresh) {
        const { error } = await projector.project([record]);
        if (error !== undefined) throw error;
      }
      read += fresh.length;
      count += fresh.length;
    }
  }

  /** Projects the newest record of the stream, ahead of all that have not been delivered. */
  async function deliverNewest(): Promise<void> {
    const { error } = await projector.project((await table.allRecords()).slice(-1));
    if (error !== undefined) throw error;
  }

  /** Takes records out of the stream unread. */
  async function lose(): Promise<void> {
    read = (await table.allRecords()).length;
  }

  /** Every item as a text, by key. */
  async function everything(): Promise<Map<string, string>> {
    const { items } = await store.scan({ segment: 0, segments: 1 });
    return new Map(
      items.map((item) => [`${text(item['source'])} ${text(item['target'])}`, canonicalText({ M: item })]),
    );
  }

  /** The copies of a book's view, by edge. */
  async function copiesOf(book: string): Promise<Item> {
    const copies = (await tools.read(book, '~view'))['copies'];
    return copies !== undefined && 'M' in copies ? copies.M : {};
  }

  await writer.putNode('AUTHOR-1', { name: 'First', birthYear: 1900 });
  for (let b = 1; b <= books; b++) {
    await writer.putNode(`AUTHOR-OF${b}`, { name: `Author ${b}`, birthYear: 1900 + b });
    await writer.putNode(`BOOK-${b}`, { title: `Book ${b}` });
    await writer.putEdge(`BOOK-${b}`, 'WROTE', 'AUTHOR-1', {});
    await writer.putEdge(`BOOK-${b}`, 'WROTE', `AUTHOR-OF${b}`, {});
  }
  await deliver();
  return { ...table, writer, deliver, deliverNewest, lose, everything, copiesOf, ...tools };
}

function text(value: Item[string] | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}
