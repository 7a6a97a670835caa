import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { copiesByEdge } from '../../../src/core/items/stored-view.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { HookedStore, type StoreCall } from '../../support/hooked-store.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: {
    BOOK: node({ view: 'ALL', viewBudgetBytes: 2_048 }),
    AUTHOR: node({ view: 'ALL' }),
    SHOP: node({ view: 'ALL' }),
  },
  edges: {
    WROTE: edge({ from: 'BOOK', to: 'AUTHOR', edgeSet: ['role'], copy: ['name', 'birthYear'] }),
    EDITED: edge({ from: 'BOOK', to: 'AUTHOR', copy: ['name'] }),
    SOLD: edge({ from: 'BOOK', to: 'SHOP' }),
  },
});
const BOOK = 'BOOK-1';
const AUTHOR = 'AUTHOR-1';
const EDGE = 'WROTE-AUTHOR-1';
const NOW_SECONDS = 1_800_000_000;
const ann = { name: { S: 'Ann' }, birthYear: { N: '1960' }, shoeSize: { N: '42' } };
const annCopy = { name: { S: 'Ann' }, birthYear: { N: '1960' } };

function setUp(
  { before, pageSize }: { before?: (call: StoreCall, number: number) => Promise<void> | void; pageSize?: number } = {},
  remainingMs?: () => number,
) {
  const table = new StreamedStore(graph);
  const hooked = new HookedStore(table, before);
  const projector = createProjector(graph, {
    model: fixedModel(graph),
    store: hooked,
    now: () => NOW_SECONDS * 1000,
    wait: async () => undefined,
    concurrency: 1,
    fanOutPageSize: pageSize,
  });
  let read = 0;
  /** Projects the records that came since the last call; gives the calls that were made. */
  const project = async (...records: ChangeRecord[]): Promise<string[]> => {
    hooked.calls.length = 0;
    const fresh = records.length > 0 ? records : table.records.slice(read);
    read = table.records.length;
    const { error } = await projector.project(fresh, { remainingMs });
    if (error !== undefined) throw error;
    return hooked.log;
  };
  const copies = async (child = BOOK): Promise<Record<string, Item>> =>
    Object.fromEntries(copiesByEdge(await table.derived(child, '~view')));
  return { table, hooked, projector, project, copies };
}

/** So many books of one author, projected. */
async function withBooks(count: number, options: Parameters<typeof setUp>[0] = {}) {
  const world = setUp(options);
  await world.table.producer(AUTHOR, AUTHOR, ann);
  await world.project();
  for (let i = 1; i <= count; i++) await world.table.producer(`BOOK-${i}`, EDGE, {});
  await world.project();
  return world;
}

describe('an edge that copies', () => {
  it('writes its reverse item, reads the view, then the parent, and writes both once', async () => {
    const { table, project, copies } = setUp();
    await table.producer(AUTHOR, AUTHOR, ann);
    await project();
    await table.producer(BOOK, EDGE, {});
    expect(await project()).toEqual([
      `getMany ${AUTHOR} ~rev/WROTE-${BOOK}`,
      `getMany ${BOOK} ${EDGE}`,
      `update ${AUTHOR} ~rev/WROTE-${BOOK}`,
      `getMany ${BOOK} ~view`,
      `getMany ${BOOK} ${EDGE} ${AUTHOR} ${AUTHOR}`,
      `update ${BOOK} ~view`,
    ]);
    expect(await copies()).toEqual({ [EDGE]: annCopy });
    expect(await table.derived(AUTHOR, `~rev/WROTE-${BOOK}`)).toMatchObject({ child: { S: BOOK }, r: { N: '1' } });
  });

  it('reads no other parent: what other edges copy is kept as it is', async () => {
    const { table, project, copies } = setUp();
    await table.producer(AUTHOR, AUTHOR, ann);
    await table.producer('AUTHOR-2', 'AUTHOR-2', { name: { S: 'Bob' } });
    await table.producer(BOOK, EDGE, {});
    await project();
    await table.producer(BOOK, 'WROTE-AUTHOR-2', {});
    expect(await project()).toContain(`getMany ${BOOK} WROTE-AUTHOR-2 AUTHOR-2 AUTHOR-2`);
    expect(await copies()).toEqual({ [EDGE]: annCopy, 'WROTE-AUTHOR-2': { name: { S: 'Bob' } } });
  });
});

describe('a change of a parent', () => {
  it('reaches each child with one write, after a consistent Query, the views and then the parent', async () => {
    const { table, project, copies } = await withBooks(3);
    await table.producer(AUTHOR, AUTHOR, { name: { S: 'Anne' } });
    const own = [`getMany ${AUTHOR} ~view`, `getMany ${AUTHOR} ${AUTHOR}`, `update ${AUTHOR} ~view`];
    const calls = (await project()).filter((call) => !own.includes(call));
    expect(calls).toEqual([
      `query ${AUTHOR} `,
      'getMany BOOK-1 ~view BOOK-2 ~view BOOK-3 ~view',
      `getMany BOOK-1 ${EDGE} ${AUTHOR} ${AUTHOR} BOOK-2 ${EDGE} BOOK-3 ${EDGE}`,
      'update BOOK-1 ~view',
      'update BOOK-2 ~view',
      'update BOOK-3 ~view',
      // The other type that copies of authors.
      `query ${AUTHOR} `,
    ]);
    for (const child of ['BOOK-1', 'BOOK-2', 'BOOK-3']) {
      expect(await copies(child)).toEqual({ [EDGE]: { name: { S: 'Anne' } } });
    }
  });

  it('is no matter of children where nothing changes that they copy', async () => {
    const { table, project } = await withBooks(1);
    await table.producer(AUTHOR, AUTHOR, { ...ann, shoeSize: { N: '43' } });
    expect((await project()).filter((call) => call.includes('BOOK'))).toEqual([]);
  });

  it('that cannot be brought to one child is quarantined beside it; the others have it', async () => {
    let isRefusing = false;
    const { table, project, copies } = await withBooks(3, {
      before: ({ method, keys }) => {
        if (!isRefusing || method !== 'update' || keys[0] !== 'BOOK-2 ~view') return;
        throw new StoreError('terminal', 'ValidationException', 'Item size has exceeded the limit.');
      },
    });
    isRefusing = true;
    await table.producer(AUTHOR, AUTHOR, { name: { S: 'Anne' } });
    await project();
    isRefusing = false;
    expect(await copies('BOOK-1')).toEqual({ [EDGE]: { name: { S: 'Anne' } } });
    expect(await copies('BOOK-3')).toEqual({ [EDGE]: { name: { S: 'Anne' } } });
    const entry = await table.derived('BOOK-2', '~quarantine/~view');
    expect(entry).toMatchObject({ of: { S: '~view' }, code: { S: 'ValidationException' } });
  });
});

describe('a fan-out of many pages', () => {
  const MORE = '~more/WROTE';
  const anne = { name: { S: 'Anne' } };

  it('skips the tombstones of edges that are gone, also whole pages of them', async () => {
    const { table, project, copies } = await withBooks(6, { pageSize: 2 });
    for (const i of [1, 2, 3]) await table.producer(`BOOK-${i}`, EDGE, undefined);
    await project();
    await table.producer(AUTHOR, AUTHOR, anne);
    for (let i = 0; i < 4; i++) await project();
    for (const i of [4, 5, 6]) expect(await copies(`BOOK-${i}`)).toEqual({ [EDGE]: anne });
    expect((await table.derived('BOOK-1', '~view'))!['r']).toEqual({ N: '2' });
  });

  it('that fails fails the record that it is of: the parent’s, or the continuation’s own', async () => {
    let isDown = false;
    const { table, projector, project, copies } = await withBooks(3, {
      pageSize: 1,
      before: ({ method, keys }) => {
        if (isDown && method === 'update' && keys[0]!.startsWith('BOOK'))
          throw new StoreError('fatal', 'down', 'Down.');
      },
    });
    const changed = (await table.producer(AUTHOR, AUTHOR, anne))!;
    const other = (await table.producer('SHOP-1', 'SHOP-1', {}))!;
    isDown = true;
    expect(await projector.project([changed, other])).toMatchObject({ failedFrom: changed, error: { code: 'down' } });
    expect(await table.derived(AUTHOR, MORE)).toBeUndefined();
    isDown = false;
    await project(changed, other);
    const more = table.records.at(-1)!;
    expect(more.target).toBe(MORE);
    isDown = true;
    expect(await projector.project([other, more])).toMatchObject({ failedFrom: more });
    expect(await table.derived(AUTHOR, MORE)).toMatchObject({ r: { N: '1' } });
    isDown = false;
    await project(more);
    await project();
    for (let i = 1; i <= 3; i++) expect(await copies(`BOOK-${i}`)).toEqual({ [EDGE]: anne });
  });

  it('retries a child alone where only that fails for a while', async () => {
    let isFailing = false;
    let failures = 2;
    const { table, project, copies } = await withBooks(3, {
      before: ({ method, keys }) => {
        if (!isFailing || method !== 'update' || keys[0] !== 'BOOK-2 ~view' || failures === 0) return;
        failures -= 1;
        throw new StoreError('retryable', 'throttled', 'Throttled.');
      },
    });
    isFailing = true;
    await table.producer(AUTHOR, AUTHOR, anne);
    const calls = await project();
    isFailing = false;
    expect(calls.filter((call) => call === 'update BOOK-1 ~view')).toHaveLength(1);
    expect(calls.filter((call) => call === 'update BOOK-2 ~view')).toHaveLength(3);
    expect(await copies('BOOK-2')).toEqual({ [EDGE]: anne });
  });
});
