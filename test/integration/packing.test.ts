import { describe, expect, it } from 'vitest';
import { check } from '../../src/admin.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import type { Reader } from '../../src/index.ts';
import type { MigrateAction } from '../../src/migrate/action.ts';
import { planMigration } from '../../src/migrate/forecast/plan-migration.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { evolvingTable } from '../support/migrating-table.ts';
import { baseItem } from '../support/records.ts';
import { StreamedStore } from '../support/streamed-store.ts';

const ORDERS = { byA: 'a', byB: 'b', byC: 'c', byD: 'd' } as const;
const CLEAN = { drift: { missing: 0, stale: 0, orphan: 0 }, unregistered: 0, pending: 0, unknown: 0 };
const EDGES = 6;

/** The values of an edge: each order sorts the edges otherwise. */
const valuesOf = (i: number) => ({ a: i, b: EDGES - i, c: (i * 5) % 7, d: (i * 3) % 7 });

function numbersOf(values: object): Item {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { N: String(value) }]));
}

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
  const put = (i: number) => table.store.put(baseItem(`GOAL-${i}`, 'MEMBER-USER-1', numbersOf(valuesOf(i))));
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
      expect(await check(graph, { store, graceMs: 10 })).toMatchObject(CLEAN);
      const { leftovers } = await migrate(graph);
      for (const action of leftovers ?? []) await migrate(graph, { action: action as never });
      passLease();
      expect(await answers(graph)).toEqual(expectedAnswers(edges));
      for (const i of edges) expect(await items(i)).toHaveLength(itemsOfEdge);
      expect(await check(graph, { store, graceMs: 10 })).toMatchObject(CLEAN);
    }
  });

  it('leave no keys of other indexes behind where a table without a registry is rebuilt', async () => {
    const { two, put, items, store, projectAll } = await packedTable();
    await put(1);
    await projectAll();
    expect(Object.keys((await items(1))[0]!)).toContain('gsi3pk');
    expect(await check(two, { store, graceMs: 10 })).toMatchObject({ drift: { missing: 2, stale: 1, orphan: 0 } });
    await check(two, { store, mode: 'rebuild' });
    const keys = (await items(1)).flatMap((item) => Object.keys(item).filter((name) => /^gsi\dpk$/.test(name)));
    expect(keys.sort()).toEqual(['gsi0pk', 'gsi0pk', 'gsi0pk', 'gsi1pk']);
    expect(await check(two, { store, graceMs: 10 })).toMatchObject(CLEAN);
  });
});

const SEARCHES = ['a', 'b', 'c'] as const;

function searchedGraph(table: string, indexes: number, shards = 2) {
  const search = { a: { type: 'number', shards }, b: { type: 'number', shards: 1 }, c: { type: 'number' } } as const;
  return defineGraph({ table: { name: table, indexes }, nodes: { USER: node({ search }) } });
}

async function searchedTable() {
  const table = await evolvingTable((name) => ({
    four: searchedGraph(name, 4),
    two: searchedGraph(name, 2),
    one: searchedGraph(name, 1),
    spread: searchedGraph(name, 2, 3),
  }));
  const put = (i: number, values: object = valuesOf(i)) =>
    table.store.put(baseItem(`USER-${i}`, `USER-${i}`, numbersOf(values)));
  const items = async (i: number) => {
    const request = { partition: `USER-${i}`, sortKey: { beginsWith: '~ix/' }, consistent: true };
    return (await table.store.query(request)).items.filter((item) => item['expiresAt'] === undefined);
  };
  const answers = async (graph: CompiledModel) => {
    const reader = table.reader(graph as typeof table.two);
    const found = SEARCHES.map(async (name) => {
      const search = reader.search(`USER.${name}`);
      const [page, { count }] = await Promise.all([search.all(), search.count()]);
      return [name, count, page.items.map(({ id, value }) => `${id} ${String(value)}`)] as const;
    });
    return await Promise.all(found);
  };
  return { ...table, put, items, answers };
}

/** The answers, from the values alone. */
function expectedHits(nodes: readonly number[]) {
  return SEARCHES.map((name) => {
    const sorted = nodes.toSorted((left, right) => valuesOf(left)[name] - valuesOf(right)[name] || left - right);
    return [name, nodes.length, sorted.map((i) => `USER-${i} ${valuesOf(i)[name]}`)];
  });
}

describe('searches over several indexes', () => {
  it('share one item of a node; a later number packs them anew under reads of both models, and nothing is left of the old', async () => {
    const { two, four, one, spread, put, items, answers, migrate, passLease, projectAll, store } =
      await searchedTable();
    const nodes: number[] = [];
    let before: CompiledModel = two;
    await migrate(two);
    for (const [graph, itemsOfNode] of [
      [four, 1],
      [one, 3],
      [four, 1],
      [two, 2],
      [spread, 2],
    ] as const) {
      for (let steps = 1, isDone = false; !isDone; steps++) {
        const result = await migrate(graph, { mostSteps: steps });
        isDone = result.done;
        if (isDone) expect(result.leftovers).toEqual([]);
        if (nodes.length < EDGES) {
          nodes.push(nodes.length + 1);
          await put(nodes.length);
        }
        await projectAll();
        for (const model of [before, graph]) expect(await answers(model)).toEqual(expectedHits(nodes));
        passLease();
        for (const model of [before, graph]) expect(await answers(model)).toEqual(expectedHits(nodes));
      }
      for (const i of nodes) expect(await items(i)).toHaveLength(itemsOfNode);
      expect(await check(graph, { store, graceMs: 10 })).toMatchObject(CLEAN);
      before = graph;
    }
  });

  it('go one by one: a search stays for readers whichever other of its item is taken away', async () => {
    const table = await evolvingTable((name) => {
      const of = (...names: readonly ('a' | 'b')[]) =>
        defineGraph({
          table: name,
          nodes: {
            USER: node({ search: Object.fromEntries(names.map((one) => [one, { type: 'number', shards: 1 }])) }),
          },
        } as never) as CompiledModel;
      return { both: of('a', 'b'), onlyA: of('a'), onlyB: of('b'), turned: of('b', 'a') };
    });
    const { both, onlyA, onlyB, turned, store, projectAll, passLease, migrate } = table;
    const found = async (graph: CompiledModel, name: 'a' | 'b'): Promise<number> => {
      const search = (table.reader(graph as never) as Reader).search(`USER.${name}` as never) as {
        count(): Promise<{ count: number }>;
      };
      return (await search.count()).count;
    };
    const stepwise = async (graph: CompiledModel, name: 'a' | 'b', action?: MigrateAction) => {
      for (let mostSteps = 1, isDone = false; !isDone; mostSteps++) {
        ({ done: isDone } = await migrate(graph as never, { mostSteps, ...(action && { action }) } as never));
        expect(await found(graph, name)).toBe(2);
        passLease();
        expect(await found(graph, name)).toBe(2);
      }
    };
    await migrate(both as never);
    for (const i of [1, 2]) await store.put(baseItem(`USER-${i}`, `USER-${i}`, numbersOf({ a: i, b: i + 1 })));
    await projectAll();
    // The first of the item goes; the item has its name.
    await stepwise(onlyB, 'b', { kind: 'drop', name: 'search:USER.a' });
    expect((await migrate(onlyB as never)).leftovers).toEqual([]);
    await stepwise(both, 'b');
    await stepwise(turned, 'a');
    await stepwise(both, 'a');
    // The second of the item goes: the table still has it, and says so by its name.
    const plan = await planMigration({ graph: onlyA, store, itemCount: 2 });
    expect(plan.changes).toContain(
      'search:USER.b is not in this model; it stays until edgeloom migrate --drop of its name, or --undo',
    );
    await stepwise(onlyA, 'a');
    await stepwise(onlyA, 'a', { kind: 'drop', name: 'search:USER.b' });
    expect((await migrate(onlyA as never)).leftovers).toEqual([]);
    await migrate(both as never);
    await expect(
      migrate(both as never, { action: { kind: 'drop', name: 'search:USER.b' } } as never),
    ).rejects.toMatchObject({
      code: 'shared-item',
      message: 'The search USER.b shares its index item with search:USER.a, which this model keeps.',
    });
  });

  it('cost the less, the more of them share an item', async () => {
    const wcu: number[][] = [];
    for (const indexes of [1, 2, 3]) {
      const graph = searchedGraph('records', indexes);
      const table = new StreamedStore(graph);
      const units = async (values: object): Promise<number> => {
        const record = (await table.producer('USER-1', 'USER-1', numbersOf(values)))!;
        return (await createProjector(graph, { store: table }).project([record])).wcu;
      };
      // Created; one value changed; an attribute that no search shows.
      wcu.push([
        await units(valuesOf(1)),
        await units({ ...valuesOf(1), a: 40 }),
        await units({ ...valuesOf(1), a: 40, z: 1 }),
      ]);
    }
    expect(wcu).toEqual([
      [6, 3, 0],
      [5, 3, 0],
      [4, 3, 0],
    ]);
  });
});
