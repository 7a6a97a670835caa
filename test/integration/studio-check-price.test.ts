import { expect, it } from 'vitest';
import { checkUnits } from '../../packages/studio/base/check-price.ts';
import { TableSample } from '../../packages/studio/base/table-sample.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, source } from '../../src/core/model/schema.ts';
import { describeTable } from '../../src/store/table-description.ts';
import { check } from '../../src/trust/check/check.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const NODES = 400;

function graphOf(kind: 'plain' | 'source' | 'copy') {
  return defineGraph({
    table: uniqueTableName(),
    nodes: { TASK: node({ view: ['title'] }), USER: node({ view: ['name'] }) },
    edges: {
      DOES: edge({
        ...{ from: 'TASK', to: 'USER', edgeSet: ['role'] },
        ...(kind === 'copy' && { copy: ['name'] }),
        inbound: { orders: { gsi0: kind === 'source' ? source('title') : 'role' } },
      }),
    },
  });
}

it.each(['plain', 'source', 'copy'] as const)('tells what a check takes before it runs: %s edges', async (kind) => {
  const { graph, client, store, projectAll } = await testTable(graphOf(kind));
  const writer = createWriter(graph, { store });
  await writer.batch((batch) => {
    for (let i = 0; i < 20; i++) batch.putNode(`USER-${i}`, { name: `User ${i}` });
    for (let i = 0; i < NODES; i++) {
      // Items are as large as this one says, whatever the engine says of the size of the table.
      batch.putNode(`TASK-${i}`, { title: `Task ${i}`, text: 'x'.repeat(500) });
      batch.putEdge(`TASK-${i}`, 'DOES', `USER-${i % 20}`, { role: 'LEAD' });
    }
  });
  await projectAll();
  const itemCount = async () => (await describeTable(graph, { client })).itemCount;
  const sampled = await new TableSample().read({ graph, store, itemCount });
  const { rcu } = await check(graph, { store });
  const estimate = checkUnits(graph, sampled);
  expect(estimate).toBeGreaterThan(rcu * 0.8);
  expect(estimate).toBeLessThan(rcu * 1.25);
});
