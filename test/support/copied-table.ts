import { createWriter } from '../../src/client/write/writer.ts';
import { canonicalText, type Item } from '../../src/core/items/attribute-value.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { type CheckOptions, type CheckResult, check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { bookGraph } from './book-graph.ts';
import { testTable, uniqueTableName } from './table.ts';

/** Children that a fan-out visits before its own record goes on. */
const PAGE = 2;
/** Long enough for nothing: the tests project before they check. */
const GRACE_MS = 20;

/** A table of books and authors, projected: each book has the first author and one of its own. */
export async function copiedTable(books = 5) {
  const table = await testTable(bookGraph(uniqueTableName()));
  const { graph, store } = table;
  const writer = createWriter(graph, { store });
  const projector = createProjector(graph, { store, fanOutPageSize: PAGE });
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

  async function run(options: Partial<CheckOptions> = {}): Promise<CheckResult & { findings: Finding[] }> {
    const findings: Finding[] = [];
    const result = await check(graph, {
      ...{ store, graceMs: GRACE_MS, segments: 4 },
      onFinding: (finding) => findings.push(finding),
      ...options,
    });
    return { ...result, findings };
  }

  /** Every item as a text, by key. */
  async function everything(): Promise<Map<string, string>> {
    const { items } = await store.scan({ segment: 0, segments: 1 });
    return new Map(
      items.map((item) => [`${text(item['source'])} ${text(item['target'])}`, canonicalText({ M: item })]),
    );
  }

  async function read_(source: string, target: string): Promise<Item> {
    const { item } = await store.get({ source, target }, { consistent: true });
    if (item === undefined) throw new Error(`there is no ${source} ${target}`);
    return item;
  }

  async function corrupt(source: string, target: string, change: (item: Item) => Item): Promise<void> {
    await store.put(change(await read_(source, target)));
  }

  /** The copies of a book's view, by edge. */
  async function copiesOf(book: string): Promise<Item> {
    const copies = (await read_(book, '~view'))['copies'];
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
  return { ...table, writer, deliver, deliverNewest, lose, run, everything, read: read_, corrupt, copiesOf };
}

function text(value: Item[string] | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}
