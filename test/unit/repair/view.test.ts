import { expect, it } from 'vitest';
import { StoreError } from '../../../src/foundation/errors.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
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
