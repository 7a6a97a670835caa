import { expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

it('projects a node into its view', async () => {
  const { store, projectAll } = await testTable(
    defineGraph({ table: uniqueTableName(), nodes: { USER: node({ view: 'ALL' }) } }),
  );
  await store.put({ source: { S: 'USER-1' }, target: { S: 'USER-1' }, name: { S: 'Ada' } });
  const result = await projectAll();
  expect(result).toMatchObject({ records: 1, touches: 1, writes: 1 });
  const { item } = await store.get({ source: 'USER-1', target: '~view' }, { consistent: true });
  expect(item).toMatchObject({ attributes: { M: { name: { S: 'Ada' } } } });
});
