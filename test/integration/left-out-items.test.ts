import { describe, expect, it } from 'vitest';
import { check, tableIdentity } from '../../src/admin.ts';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import type { AttributeValue } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { derive, edge, node, number, rank, source } from '../../src/core/model/schema.ts';
import { planMigration } from '../../src/migrate/forecast/plan-migration.ts';
import { evolvingTable } from '../support/migrating-table.ts';

/** Changes of a model that leave items of the table without a place. */

function graphOf(table: string, search: object, order: unknown): CompiledModel {
  return defineGraph({
    table,
    nodes: { ITEM: node({ search: search as never }), SHOP: node() },
    edges: { SELLS: edge({ from: 'ITEM', to: 'SHOP', inbound: { orders: { by: order as string } } }) },
  }) as CompiledModel;
}

const NAMES = { name: { shards: 1 } };
const GRADES = rank('grade', { A: 20, B: 10 });

async function shop() {
  const table = await evolvingTable((name) => ({ before: graphOf(name, NAMES, GRADES) }));
  const { before, store, client, migrate: run } = table;
  await run(before);
  for (const [i, grade] of ['A', 'B', 'B', 'A'].entries()) {
    const put = (target: string, attributes: Record<string, AttributeValue>) =>
      store.put({ source: { S: `ITEM-${i}` }, target: { S: target }, ...attributes });
    await put(`ITEM-${i}`, { name: { S: `item ${i}` }, status: { S: grade }, ...(i > 0 && { price: { N: '1' } }) });
    await put('SELLS-SHOP-1', { grade: { S: grade }, amount: i % 2 === 0 ? { N: '5' } : { S: 'five' } });
  }
  await table.projectAll();
  const identity = await tableIdentity(before, { client });
  const plan = (graph: CompiledModel) => planMigration({ graph, store, itemCount: 0, ...identity });
  const changed = (search: object, order: unknown) => graphOf(before.table.name, search, order);
  return { ...table, run, plan, changed };
}

describe('a model that leaves items of the table without a place', () => {
  it.each<[string, number, object, unknown, string]>([
    ['a label that is dropped', 2, NAMES, rank('grade', { A: 20 }), '"B", which has no declared rank'],
    ['a label that is renamed', 2, NAMES, rank('grade', { A: 20, C: 10 }), '"B", which has no declared rank'],
    [
      'a label of the source that is dropped',
      2,
      NAMES,
      rank(source('status'), { A: 20 }),
      '"B", which has no declared',
    ],
    ['a search that takes numbers now', 4, { name: { type: 'number', shards: 1 } }, GRADES, 'should be a number'],
    ['a search that takes dates now', 4, { name: { type: 'date', shards: 1 } }, GRADES, 'name, needed for search'],
    ['a new order of another type', 2, NAMES, number('amount'), 'should be a number, but is a string'],
    ['a search of each that has single values', 4, { name: { multiValue: true } }, GRADES, 'should be a list or a set'],
    [
      'a derive that throws',
      1,
      { name: { attribute: derive(({ price }: { price: number }) => price.toFixed(2)) } },
      GRADES,
      'search ITEM.name',
    ],
  ])('is forecast, and stops before readers use it: %s', async (_name, items, search, order, reason) => {
    const { run, plan, changed, store } = await shop();
    const graph = changed(search, order);
    const leftOut = { items, example: { reason: expect.stringContaining(reason) as unknown } };
    expect((await plan(graph)).leftOut).toMatchObject(leftOut);
    const stopped = run(graph);
    await expect(stopped).rejects.toMatchObject({
      code: 'items-left-out',
      message: expect.stringContaining(`${items} item`) as unknown,
      hint: expect.stringContaining('--accept') as unknown,
    });
    await expect(run(graph)).rejects.toThrow(reason);
    // Readers of the model before have all of their items.
    const reader = createReader(changed(NAMES, GRADES), { store }) as Reader;
    expect((await reader.inbound('SHOP-1', 'SELLS', { order: 'by' })).items).toHaveLength(4);
    expect((await reader.search('ITEM.name').all()).items).toHaveLength(4);

    expect(await run(graph, { acceptLeftOut: true })).toMatchObject({ done: true });
    const { quarantined, drift } = await check(graph, { store, graceMs: 10 });
    expect({ quarantined, drift }).toEqual({ quarantined: items, drift: { missing: 0, stale: 0, orphan: 0 } });
    // What is ready needs no word any more.
    expect((await plan(graph)).leftOut).toBeUndefined();
    expect(await run(graph)).toMatchObject({ done: true, steps: [] });
  });

  it('is none where items lack the attribute, which leaves them out of an order as the model says', async () => {
    const { run, plan, changed } = await shop();
    const graph = changed({ ...NAMES, price: { type: 'number', shards: 1 } }, GRADES);
    expect((await plan(graph)).leftOut).toBeUndefined();
    expect(await run(graph)).toMatchObject({ done: true });
  });
});
