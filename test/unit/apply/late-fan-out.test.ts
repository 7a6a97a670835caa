import { expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { copiesByEdge } from '../../../src/core/items/stored-view.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { bookGraph } from '../../support/book-graph.ts';
import { HookedStore } from '../../support/hooked-store.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = bookGraph('records');
const AUTHOR = 'AUTHOR-1';
const BOOKS = ['BOOK-1', 'BOOK-2', 'BOOK-3', 'BOOK-4'];

function project(store: Store, fanOutPageSize: number, records: readonly ChangeRecord[]) {
  return createProjector(graph, { store, fanOutPageSize }).project(records);
}

it('a fan-out that stood still does not move a newer one past children that the newer one has not visited', async () => {
  const store = new StreamedStore(graph);
  let seen = 0;
  const fresh = (): ChangeRecord[] => {
    const records = store.records.slice(seen);
    seen = store.records.length;
    return records;
  };
  const rename = async (name: string): Promise<ChangeRecord[]> => {
    await store.put({ source: { S: AUTHOR }, target: { S: AUTHOR }, name: { S: name } });
    return fresh();
  };
  for (const book of BOOKS) await store.put({ source: { S: book }, target: { S: `WROTE-${AUTHOR}` } });
  await project(store, 250, await rename('A'));

  // It has brought B to three books, and stands still before it looks at the continuation.
  let newer: Promise<unknown> | undefined;
  const stalled = new HookedStore(store, async ({ method, keys }) => {
    if (method !== 'getMany' || keys[0] !== `${AUTHOR} ~more/WROTE` || newer !== undefined) return;
    // The newer one brings C to the first book, and leaves the others to its continuation.
    newer = project(store, 1, await rename('C'));
    await newer;
  });
  await project(stalled, 3, await rename('B'));
  expect(newer).toBeDefined();

  for (let records = fresh(); records.length > 0; records = fresh()) await project(store, 1, records);
  const names: (Item | undefined)[] = [];
  for (const book of BOOKS) {
    const { item } = await store.get({ source: book, target: '~view' }, { consistent: true });
    names.push(copiesByEdge(item).get(`WROTE-${AUTHOR}`));
  }
  expect(names).toEqual(BOOKS.map(() => ({ name: { S: 'C' } })));
});
