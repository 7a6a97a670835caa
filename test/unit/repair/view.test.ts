import { expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import type { DerivedUpdate } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { check } from '../../../src/trust/check/check.ts';
import { redrive } from '../../../src/trust/repair/redrive.ts';
import { bookGraph } from '../../support/book-graph.ts';
import { HookedStore } from '../../support/hooked-store.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = bookGraph('records');
const BOOK = 'BOOK-1';

it('a redrive that holds an expired tombstone does not overwrite a view that was made since with the same revision', async () => {
  const store = new StreamedStore(graph);
  const put = () => store.producer(BOOK, BOOK, { title: { S: 'one' } });
  const first = (await put())!;
  const deleted = (await store.producer(BOOK, BOOK, undefined))!;
  await createProjector(graph, { store }).project([deleted]);
  expect(await store.derived(BOOK, '~view')).toMatchObject({ r: { N: '1' }, expiresAt: expect.anything() });
  const refusing = new HookedStore(store, ({ method, keys }) => {
    if (method === 'update' && keys.includes(`${BOOK} ~view`)) throw new StoreError('terminal', 'refused', 'Refused.');
  });
  await createProjector(graph, { store: refusing }).project([first]);
  let hasStoodStill = false;
  const slow = new HookedStore(store, async ({ method, keys }) => {
    if (hasStoodStill || method !== 'update' || !keys.includes(`${BOOK} ~view`)) return;
    hasStoodStill = true;
    // TTL deletes the tombstone, and the node is put again.
    await store.delete({ source: BOOK, target: '~view' });
    await createProjector(graph, { store }).project([(await put())!]);
    expect(await store.derived(BOOK, '~view')).toMatchObject({ r: { N: '1' }, attributes: expect.anything() });
  });
  expect(await redrive(graph, { store: slow, model: fixedModel(graph) })).toMatchObject({ repaired: 1 });
  expect(hasStoodStill).toBe(true);
  expect(await store.derived(BOOK, '~view')).toMatchObject({ attributes: { M: { title: { S: 'one' } } } });
});

/** A table that refuses a view with one element. */
class RefusingStore extends StreamedStore {
  override async update(update: DerivedUpdate) {
    if ((update.setElements ?? update.addElements)?.includes('MEMBER-USER-2') === true)
      throw new StoreError('terminal', 'ValidationException', 'The item is too large.');
    return await super.update(update);
  }
}

it('a repair of a view of which the table refuses one element repairs all others, and says that one is left', async () => {
  const members = defineGraph({
    table: 'records',
    nodes: { GOAL: node(), USER: node() },
    edges: { MEMBER: edge({ from: 'GOAL', to: 'USER' }) },
  });
  const store = new RefusingStore(members);
  for (let i = 1; i <= 5; i++) await store.producer('GOAL-1', `MEMBER-USER-${i}`, {});
  const actions: string[] = [];
  const { drift, repaired } = await check(members, {
    ...{ store, mode: 'repair', graceMs: 0, model: fixedModel(members) },
    onRepair: (action) => actions.push(action),
  });
  expect({ drift, repaired }).toEqual({ drift: { missing: 1, stale: 0, orphan: 0 }, repaired: 0 });
  expect(actions.join()).toContain('cannot repair GOAL-1 ~view: The item is too large.');
  expect(await store.derived('GOAL-1', '~view')).toMatchObject({
    edgeSet: { SS: ['MEMBER-USER-1', 'MEMBER-USER-3', 'MEMBER-USER-4', 'MEMBER-USER-5'] },
  });
});

it('a repair takes an edge of an evicted type out of the view', async () => {
  const members = defineGraph({
    table: 'records',
    nodes: { GOAL: node({ viewBudgetBytes: 1_024 }), USER: node() },
    edges: { MEMBER: edge({ from: 'GOAL', to: 'USER' }) },
  });
  const store = new StreamedStore(members);
  const model = fixedModel(members);
  const user = (i: number): string => `MEMBER-USER-${'a'.repeat(30)}${i}`;
  for (let i = 0; i < 40; i++) await store.producer('GOAL-1', user(i), {});
  await createProjector(members, { store, model }).project(store.records);
  const view = await store.derived('GOAL-1', '~view');
  expect(view).toMatchObject({ evicted: { SS: ['MEMBER'] } });
  await store.put({ ...view, edgeSet: { SS: [user(1)] } });
  const run = { store, graceMs: 0, model };
  expect(await check(members, { ...run, mode: 'repair' })).toMatchObject({ drift: { stale: 1 }, repaired: 1 });
  expect(await store.derived('GOAL-1', '~view')).not.toHaveProperty('edgeSet');
  expect((await check(members, run)).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
});
