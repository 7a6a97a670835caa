import { expect, it } from 'vitest';
import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
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

it('a parent that changes with every batch keeps no child from its changes, and each has the last one in the end', async () => {
  const store = new StreamedStore(graph);
  const books = Array.from({ length: 40 }, (_, i) => `BOOK-${10 + i}`);
  let seen = 0;
  const fresh = (): ChangeRecord[] => {
    const records = store.records.slice(seen);
    seen = store.records.length;
    return records;
  };
  const rename = (version: number) =>
    store.put({ source: { S: AUTHOR }, target: { S: AUTHOR }, name: { S: String(version) } });
  const versions = async (): Promise<number[]> => {
    const copies = books.map(async (book) => {
      const { item } = await store.get({ source: book, target: '~view' }, { consistent: true });
      return Number(stringOf(copiesByEdge(item).get(`WROTE-${AUTHOR}`)?.['name']));
    });
    return await Promise.all(copies);
  };
  await rename(0);
  for (const book of books) await store.put({ source: { S: book }, target: { S: `WROTE-${AUTHOR}` } });
  await project(store, 250, fresh());
  const pages = books.length / 2;
  for (let batch = 1; batch <= 6 * pages; batch++) {
    await rename(batch);
    await project(store, 2, fresh());
    // Two rounds may lie between two visits, and a batch in each that only notes a change.
    expect(Math.min(...(await versions()))).toBeGreaterThanOrEqual(batch - 2 * (pages + 2));
  }
  for (let records = fresh(); records.length > 0; records = fresh()) await project(store, 2, records);
  expect(new Set(await versions())).toEqual(new Set([6 * pages]));
  const { item } = await store.get({ source: AUTHOR, target: '~more/WROTE' }, { consistent: true });
  expect(Object.keys(item!).sort()).toEqual(['expiresAt', 'model', 'r', 'source', 'target']);
});
