import { describe, expect, it } from 'vitest';
import { type Item, numberOf, stringOf } from '../../src/core/items/attribute-value.ts';
import { copiesByEdge } from '../../src/core/items/stored-view.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { memoryCheckpoint } from '../../src/stream/checkpoint.ts';
import { redrive } from '../../src/trust/repair/redrive.ts';
import { HookedStore } from '../support/hooked-store.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const AUTHOR = 'AUTHOR-1';
const EDGE = 'WROTE-AUTHOR-1';

function libraryGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      BOOK: node({ view: 'ALL', viewBudgetBytes: 2_048 }),
      AUTHOR: node({ view: 'ALL', search: { age: { type: 'number' } } }),
    },
    edges: {
      WROTE: edge({ from: 'BOOK', to: 'AUTHOR', edgeSet: ['role'], copy: ['name', 'birthYear'] }),
      REVIEWED: edge({ from: 'BOOK', to: 'AUTHOR', edgeSet: ['note'] }),
    },
  });
}

/** A table with a worker on its stream, which goes on from where it ended. */
async function library() {
  const table = await testTable(libraryGraph());
  const { graph, store, streams, streamArn } = table;
  const checkpoint = memoryCheckpoint();
  const run = async (over: Store = store) =>
    await createWorker(graph, { store: over, streams, streamArn, checkpoint, pollIntervalMs: 20 }).run({
      untilIdle: true,
    });
  const author = (attributes: Item, id = AUTHOR) => store.put({ source: { S: id }, target: { S: id }, ...attributes });
  const edges = (children: readonly string[], target = EDGE, attributes: Item = {}) =>
    store.writeMany(children.map((child) => ({ put: { source: { S: child }, target: { S: target }, ...attributes } })));
  const derived = async (source: string, target: string) =>
    (await store.get({ source, target }, { consistent: true })).item;
  const copies = async (child: string): Promise<Record<string, Item>> =>
    Object.fromEntries(copiesByEdge(await derived(child, '~view')));
  return { ...table, run, author, edges, derived, copies };
}

const books = (count: number): string[] => Array.from({ length: count }, (_, i) => `BOOK-${i}`);
const named = (name: string): Item => ({ name: { S: name }, birthYear: { N: '1960' } });

describe('copies of a parent', () => {
  it('copies are in the child’s view, and follow the parent as it is changed, deleted and put again', async () => {
    const { run, author, edges, copies, store } = await library();
    await author({ ...named('Ann'), shoeSize: { N: '42' } });
    await edges(books(3));
    await run();
    for (const book of books(3)) expect(await copies(book)).toEqual({ [EDGE]: named('Ann') });
    await author(named('Anne'));
    await run();
    for (const book of books(3)) expect(await copies(book)).toEqual({ [EDGE]: named('Anne') });
    await store.delete({ source: AUTHOR, target: AUTHOR });
    await run();
    for (const book of books(3)) expect(await copies(book)).toEqual({});
    await author({ birthYear: { N: '1961' } });
    await run();
    for (const book of books(3)) expect(await copies(book)).toEqual({ [EDGE]: { birthYear: { N: '1961' } } });
  });

  it('are brought to every child by a redrive of the parent that was quarantined, and of a child', async () => {
    const { graph, store, run, author, edges, copies } = await library();
    await author(named('Ann'));
    await edges(books(2));
    await run();
    await store.put({ source: { S: AUTHOR }, target: { S: AUTHOR }, ...named('Anne'), age: { S: 'old' } });
    expect(await run()).toMatchObject({ quarantined: 1 });
    await store.put({ source: { S: AUTHOR }, target: { S: AUTHOR }, ...named('Ann B.'), age: { N: '66' } });
    expect(await redrive(graph, { store })).toMatchObject({ entries: 1, repaired: 1, left: 0 });
    for (const book of books(2)) expect(await copies(book)).toEqual({ [EDGE]: named('Ann B.') });
  });
});

describe('the fan-out of a parent with 1,000 children', () => {
  const CHILDREN = books(1_000);

  it('writes each child once, and the continuation after each page of 250', async () => {
    const { store, run, author, edges, derived } = await library();
    await author(named('Ann'));
    await run();
    await edges(CHILDREN);
    await run();
    const before = await views(store, CHILDREN);
    await author(named('Anne'));
    const hooked = new HookedStore(store);
    const result = await run(hooked);

    const written = hooked.log.filter((call) => call.startsWith('update ')).map((call) => call.slice('update '.length));
    const times = new Map<string, number>();
    for (const key of written) times.set(key, (times.get(key) ?? 0) + 1);
    expect(times.get(`${AUTHOR} ~view`)).toBe(1);
    // The last page is full, so another one is asked for that is empty.
    expect(times.get(`${AUTHOR} ~more/WROTE`)).toBe(5);
    expect(CHILDREN.filter((child) => times.get(`${child} ~view`) !== 1)).toEqual([]);
    expect(written).toHaveLength(CHILDREN.length + 6);
    expect(result).toMatchObject({ writes: CHILDREN.length + 6, quarantined: 0 });

    const after = await views(store, CHILDREN);
    const wrong = CHILDREN.filter((_child, i) => {
      const revisions = Number(numberOf(after[i]?.['r'])) - Number(numberOf(before[i]?.['r']));
      const copy = copiesByEdge(after[i]).get(EDGE);
      return revisions !== 1 || stringOf(copy?.['name']) !== 'Anne';
    });
    expect(wrong).toEqual([]);
    expect(await derived(AUTHOR, '~more/WROTE')).not.toHaveProperty('after');
  });
});

async function views(store: Store, children: readonly string[]): Promise<(Item | undefined)[]> {
  const keys = children.map((source) => ({ source, target: '~view' }));
  return (await store.getMany(keys, { consistent: true })).items;
}
