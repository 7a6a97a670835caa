import { describe, expect, it } from 'vitest';
import { check } from '../../src/admin.ts';
import { stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { planTableUpdate } from '../../src/store/table-update/plan.ts';
import { updateTable } from '../../src/store/table-update/update.ts';
import { evolvingTable } from '../support/migrating-table.ts';
import { StreamedStore } from '../support/streamed-store.ts';

const ORDERS = { byA: 'a', byB: 'b', byC: 'c', byD: 'd' } as const;
const CLEAN = { drift: { missing: 0, stale: 0, orphan: 0 }, unregistered: 0, pending: 0, unknown: 0 };
const EDGES = 6;

/** The values of an edge: each order sorts the edges otherwise. */
const valuesOf = (i: number) => ({ a: i, b: EDGES - i, c: (i * 5) % 7, d: (i * 3) % 7 });

function graphOf(table: string, indexes: number) {
  return defineGraph({
    table: { name: table, indexes },
    nodes: { GOAL: node(), USER: node() },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        edgeSet: false,
        inbound: { orders: { byA: number('a'), byB: number('b'), byC: number('c'), byD: number('d') }, project: ['a'] },
      }),
    },
  });
}

async function packedTable() {
  const table = await evolvingTable((name) => ({
    // The first makes the table, with all indexes that the others use.
    four: graphOf(name, 4),
    two: graphOf(name, 2),
    one: graphOf(name, 1),
  }));
  const put = (i: number) =>
    table.store.put({
      ...{ source: { S: `GOAL-${i}` }, target: { S: 'MEMBER-USER-1' } },
      ...Object.fromEntries(Object.entries(valuesOf(i)).map(([name, value]) => [name, { N: String(value) }])),
    });
  const items = async (i: number) => {
    const { items: found } = await table.store.query({
      partition: `GOAL-${i}`,
      sortKey: { beginsWith: '~ix/' },
      consistent: true,
    });
    return found.filter((item) => stringOf(item['gsi0pk']) !== undefined);
  };
  const answers = async (graph: CompiledModel) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(ORDERS).map(async ([order]) => {
          const page = await table
            .reader(graph as typeof table.two)
            .inbound('USER-1', 'MEMBER', { order: order as never });
          return [order, page.items.map(({ source }) => source)];
        }),
      ),
    );
  return { ...table, put, items, answers };
}

/** The answers, from the values alone. */
function expectedAnswers(edges: readonly number[]) {
  return Object.fromEntries(
    Object.entries(ORDERS).map(([order, attribute]) => [
      order,
      edges.toSorted((left, right) => valuesOf(left)[attribute] - valuesOf(right)[attribute]).map((i) => `GOAL-${i}`),
    ]),
  );
}

describe('orders over several indexes', () => {
  it('share one item of an edge, and each reads its own; a later number packs them anew, and back', async () => {
    const { two, four, one, put, items, answers, migrate, passLease, projectAll, store } = await packedTable();
    const edges: number[] = [];
    const add = async (i: number) => {
      edges.push(i);
      await put(i);
      await projectAll();
    };
    for (const [graph, itemsOfEdge] of [
      [two, 3],
      [four, 1],
      [one, 4],
      [four, 1],
      [two, 3],
    ] as const) {
      await migrate(graph);
      passLease();
      await add(edges.length + 1);
      expect(await answers(graph)).toEqual(expectedAnswers(edges));
      expect(await check(graph, { store, settleMs: 10 })).toMatchObject(CLEAN);
      const { leftovers } = await migrate(graph);
      for (const action of leftovers ?? []) await migrate(graph, { action: action as never });
      passLease();
      expect(await answers(graph)).toEqual(expectedAnswers(edges));
      for (const i of edges) expect(await items(i)).toHaveLength(itemsOfEdge);
      expect(await check(graph, { store, settleMs: 10 })).toMatchObject(CLEAN);
    }
  });

  it('leave no keys of other indexes behind where a table without a registry is rebuilt', async () => {
    const { two, put, items, store, projectAll } = await packedTable();
    await put(1);
    await projectAll();
    expect(Object.keys((await items(1))[0]!)).toContain('gsi3pk');
    expect(await check(two, { store, settleMs: 10 })).toMatchObject({ drift: { missing: 2, stale: 1, orphan: 0 } });
    await check(two, { store, mode: 'rebuild' });
    const keys = (await items(1)).flatMap((item) => Object.keys(item).filter((name) => /^gsi\dpk$/.test(name)));
    expect(keys.sort()).toEqual(['gsi0pk', 'gsi0pk', 'gsi0pk', 'gsi1pk']);
    expect(await check(two, { store, settleMs: 10 })).toMatchObject(CLEAN);
  });

  it('need their indexes: a table is told of each, and gets it by an update', async () => {
    const { client, ...table } = await evolvingTable((name) => ({ two: graphOf(name, 2), four: graphOf(name, 4) }));
    const { steps } = await planTableUpdate(table.four, { client });
    expect(steps).toEqual([
      { kind: 'index', index: 'gsi2' },
      { kind: 'index', index: 'gsi3' },
    ]);
    await updateTable(table.four, { client });
    await table.migrate(table.four);
    expect((await planTableUpdate(table.four, { client })).steps).toEqual([]);
  });

  it('cost the less, the more of them share an item', async () => {
    const wcu: number[] = [];
    for (const indexes of [1, 2, 3, 4]) {
      const graph = graphOf('records', indexes);
      const table = new StreamedStore(graph);
      const values = Object.fromEntries(Object.entries(valuesOf(1)).map(([name, value]) => [name, { N: `${value}` }]));
      const record = (await table.producer('GOAL-1', 'MEMBER-USER-1', values))!;
      wcu.push((await createProjector(graph, { store: table }).project([record])).wcu);
    }
    expect(wcu).toEqual([8, 7, 6, 5]);
  });
});
