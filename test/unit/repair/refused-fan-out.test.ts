import { expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import type { DerivedUpdate } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { redrive } from '../../../src/trust/repair/redrive.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { BOOK: node({ view: 'ALL' }), AUTHOR: node({ view: 'ALL' }) },
  edges: { WROTE: edge({ from: 'BOOK', to: 'AUTHOR', copy: ['name'] }) },
});

/** A table that refuses the n-th write of a continuation. */
class RefusingStore extends StreamedStore {
  private left = 0;

  refuse(write: number): void {
    this.left = write;
  }

  override async update(update: DerivedUpdate) {
    if (update.key.target.startsWith('~more/') && --this.left === 0) {
      throw new StoreError('terminal', 'ValidationException', 'The item is too large.');
    }
    return await super.update(update);
  }
}

// A page for each of four books: the fan-out begins, moves three times, and ends.
it.each([1, 2, 3, 4])('a fan-out whose write %i of ~more/ was refused ends after a redrive', async (refused) => {
  const store = new RefusingStore(graph);
  let read = 0;
  const project = async (): Promise<void> => {
    while (read < store.records.length) {
      const records = store.records.slice(read);
      read = store.records.length;
      const options = { store, model: fixedModel(graph), fanOutPageSize: 1 };
      const { error } = await createProjector(graph, options).project(records);
      expect(error).toBeUndefined();
    }
  };
  await store.producer('AUTHOR-1', 'AUTHOR-1', { name: { S: 'Ann' } });
  for (let i = 0; i < 4; i++) await store.producer(`BOOK-${i}`, 'WROTE-AUTHOR-1', {});
  await project();
  store.refuse(refused);
  await store.producer('AUTHOR-1', 'AUTHOR-1', { name: { S: 'Eve' } });
  await project();
  expect(await redrive(graph, { store, model: fixedModel(graph) })).toMatchObject({ entries: 1, repaired: 1 });
  await project();
  expect((await store.derived('AUTHOR-1', '~more/WROTE'))?.['after']).toBeUndefined();
  for (let i = 0; i < 4; i++) expect(JSON.stringify(await store.derived(`BOOK-${i}`, '~view'))).toContain('Eve');
});
