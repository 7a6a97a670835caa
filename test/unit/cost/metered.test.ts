import { expect, it } from 'vitest';
import { z } from 'zod';
import { modelCost } from '../../../packages/cost/capacity.ts';
import type { WriteCost } from '../../../packages/cost/writes.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node, number, sum } from '../../../src/core/model/schema.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { Choices } from '../../simulator/kernel/choices.ts';
import { chooseModel, graphOf, type ModelOptions } from '../../simulator/packs/projecting/models.ts';
import { runs } from '../../support/extent.ts';
import { SIZES } from '../../support/sizes.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

/** Every cell of `cost` against a projector whose store counts units, in batches of one, for models drawn at random. */

const MODELS = runs(SIZES['models with costs']);
/** Values of the attribute of a multi-valued search. */
const VALUES = 3;
/** Units that a batch reads of a table without a registry, besides what `cost` says: the head. */
const HEAD = 1;

const text = (value: string): Item[string] => ({ S: value });
const tags = (first: string): Item[string] => ({ L: [first, 'b', 'c'].map(text) });

/** Every attribute that a model of the simulator uses, and one that none does. */
const FULL: Item = {
  title: text('title'),
  name: text('name'),
  tags: tags('a'),
  status: text('open'),
  role: text('TEAM'),
  date: text('2026-01-01T00:00:00.000Z'),
  since: text('2026'),
  nothing: text('something'),
  hours: { N: '1' },
  ends: { N: '4102444800' },
  kind: text('build'),
  other: text('other'),
};

const CHANGED: Item = {
  ...Object.fromEntries(Object.keys(FULL).map((name) => [name, text(`${name} changed`)])),
  tags: tags('z'),
  role: text('LEAD'),
  date: text('2026-02-02T00:00:00.000Z'),
  hours: { N: '2' },
  ends: { N: '4102448400' },
};

/** The key of an item of each type: edges leave a goal, but for those between goals, which enter it. */
function keyOf(graph: CompiledModel, { type, kind }: WriteCost): [source: string, target: string] {
  if (kind === 'node') return [`${type}-1`, `${type}-1`];
  if (kind === 'part') return [`${type.split('.')[0]}-1`, type.split('.')[1]!];
  const [to] = graph.edges.get(type)!.to;
  return [to === 'GOAL' ? 'GOAL-2' : 'GOAL-1', `${type}-${to}-1`];
}

interface Units {
  /** The write of the base item itself. */
  base: number;
  wcu: number;
  read: number;
}

/** The units of each write of a model, one after the other in one table: items come, change there and back, go and come again. */
async function metered(graph: CompiledModel, costs: readonly WriteCost[]): Promise<Map<WriteCost, Units>> {
  const table = new StreamedStore(graph);
  const projector = createProjector(graph, { store: table });
  const put = async (cost: WriteCost, changed: Item | undefined): Promise<Units> => {
    const [source, target] = keyOf(graph, cost);
    // An item has the attributes that the model uses of its type, and one more.
    const used = costs.flatMap(({ type, attribute }) => (type === cost.type ? [attribute ?? 'other'] : []));
    const item = changed && Object.fromEntries(used.map((name) => [name, changed[name]!]));
    const { wcu: base } =
      item === undefined
        ? await table.delete({ source, target })
        : await table.put({ source: text(source), target: text(target), ...item });
    const { wcu, rcu, failedFrom } = await projector.project([table.records.at(-1)!]);
    expect(failedFrom).toBeUndefined();
    return { base, wcu: base + wcu, read: rcu - HEAD };
  };
  const found = new Map<WriteCost, Units>();
  for (const kind of ['node', 'part', 'edge']) {
    for (const cost of costs) if (cost.write === 'create' && cost.kind === kind) found.set(cost, await put(cost, FULL));
  }
  for (const cost of costs.filter(({ write }) => write !== 'create')) {
    const { attribute = 'other' } = cost;
    const item = cost.write === 'delete' ? undefined : { ...FULL, [attribute]: CHANGED[attribute]! };
    found.set(cost, await put(cost, item));
    await put(cost, FULL);
  }
  return found;
}

it.each([1, 2, 3, 4])('is what the projector consumes for an edge in four orders over %d indexes', async (indexes) => {
  const graph = defineGraph({
    table: { name: 'records', indexes },
    nodes: { GOAL: node(), USER: node() },
    edges: {
      MEMBER: edge({
        ...{ from: 'GOAL', to: 'USER', edgeSet: false },
        inbound: {
          orders: { byTitle: 'title', byName: 'name', byStatus: 'status', byRole: 'role' },
          project: ['kind'],
        },
      }),
    },
  });
  const { writes } = modelCost(graph);
  for (const [{ write, attribute, type, total, base, read }, units] of await metered(graph, writes)) {
    expect({ type, write, attribute, wcu: total, read, base }).toEqual({ type, write, attribute, ...units });
  }
  expect(writes.find(({ type, write }) => type === 'MEMBER' && write === 'create')!.total).toBe(10 - indexes);
});

it.each([
  ['a count', { degree: true, edgeSet: false }],
  ['a count and an edge set', { degree: true, edgeSet: ['role'] }],
  ['a total of the other side', { edgeSet: false, outgoing: { total: { hours: sum('hours') } } }],
  ['a list', { edgeSet: false, inbound: { orders: { byTitle: 'title' } } }],
  ['a count and lists', { degree: true, inbound: { orders: { byTitle: 'title', byName: 'name' }, project: ['kind'] } }],
  ['a native list', { edgeSet: false, inbound: { native: true, orders: { byTitle: 'title' } } }],
  ['a copy', { copy: ['name'] }],
  ['a list with its target', { edgeSet: false, inbound: { orders: { byTitle: 'title' }, includeTarget: true } }],
])('is what the projector consumes where nodes and edges end, with %s', async (_what, options) => {
  const graph = defineGraph({
    table: { name: 'records', ttl: 'ends' },
    nodes: {
      GOAL: node({ view: ['title'], search: { title: { shards: 1 } }, expires: 'ends' }),
      USER: node({ search: { tags: { multiValue: true, shards: 1 } }, expires: 'ends' }),
    },
    edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', expires: 'ends', ...options } as never) },
  }) as CompiledModel;
  const { writes } = modelCost(graph, new Map([['USER.tags', VALUES]]));
  for (const [{ write, attribute, type, total, base, read, perEdge = {} }, units] of await metered(graph, writes)) {
    const more = Object.values(perEdge);
    const told = {
      wcu: more.reduce((all, one) => all + one.wcu, total),
      read: more.reduce((all, one) => all + one.rcu, read),
    };
    expect({ type, write, attribute, base, ...told }).toEqual({ type, write, attribute, ...units });
  }
  expect(writes.filter(({ attribute }) => attribute === 'ends').map(({ type }) => type)).toEqual([
    ...['GOAL', 'USER', 'MEMBER'],
  ]);
});

/** A model with native orders and searches, some beside derived ones, and attributes that several types have. */
function nativeGraph(choices: Choices): CompiledModel {
  const some = (label: string, names: readonly string[]): string[] =>
    names.filter((name) => choices.chance(`${label} ${name}`, 0.5));
  const projection = (label: string): string[] | 'ALL' | 'KEYS_ONLY' => {
    const names = some(label, ['kind', 'role', 'hours']);
    if (names.length > 0) return names;
    return choices.chance(`${label} all`, 0.5) ? 'ALL' : 'KEYS_ONLY';
  };
  const ordered = (label: string, native: boolean) => {
    const names = ['date', ...some(label, ['title', 'status'])];
    const orders = Object.fromEntries(names.map((name) => [`by_${name}`, name]));
    const byHours = choices.chance(`${label} hours`, 0.5) && { byHours: number('hours') };
    return { native, orders: { ...orders, ...byHours }, project: projection(label) };
  };
  const searched = (label: string, names: readonly string[]) =>
    some(label, names).map((name) => {
      const native = choices.chance(`${label} ${name} native`, 0.7);
      return [name, { ...(native ? { native } : { shards: 1 }), project: projection(`${label} ${name}`) }] as const;
    });
  return defineGraph({
    table: 'records',
    nodes: {
      GOAL: node({ view: ['title'], search: Object.fromEntries(searched('GOAL', ['title', 'name', 'status'])) }),
      USER: node({ fields: z.object({ date: z.string(), kind: z.string().optional(), name: z.string() }) }),
    },
    edges: {
      MEMBER: edge({
        ...{ from: 'GOAL', to: 'USER', edgeSet: ['role'], degree: choices.chance('counted', 0.5) },
        inbound: ordered('MEMBER', true),
      }),
      LINK: edge({
        ...{ from: 'GOAL', to: 'USER', edgeSet: false, outgoing: TOTALLED },
        inbound: { ...ordered('LINK', choices.chance('LINK native', 0.5)), ...TOTALLED },
      }),
    },
  }) as CompiledModel;
}

const TOTALLED = { total: { hours: sum('hours') }, groupBy: ['kind'] } as const;

it('is what the projector consumes for native models drawn at random', async () => {
  for (let seed = 0; seed < MODELS; seed++) {
    const graph = nativeGraph(Choices.seeded(seed));
    const { writes } = modelCost(graph);
    for (const [{ write, attribute, type, total, base, read }, units] of await metered(graph, writes)) {
      const cell = { seed, type, write, attribute };
      expect({ ...cell, wcu: total, read, base }).toEqual({ ...cell, ...units });
    }
  }
});

it('is what the projector consumes, for every write of models drawn at random', async () => {
  const wrong: string[] = [];
  for (let seed = 0; seed < MODELS; seed++) {
    const drawn = chooseModel(Choices.seeded(seed));
    // The costs are those of items of 1 KB: a long label and a tight budget are other cases.
    const labels = drawn.labels === 'computed' ? 'role' : drawn.labels;
    const options: ModelOptions = { ...drawn, labels, budget: 'ample', keys: 'plain', deletion: 'none' };
    const graph = graphOf(options);
    const values = new Map(['GOAL.tags', 'GOAL.STATE.tags'].map((name) => [name, VALUES]));
    for (const [cost, { wcu, read }] of await metered(graph, modelCost(graph, values).writes)) {
      const more = Object.values(cost.perEdge ?? {});
      const told = {
        wcu: more.reduce((sum, one) => sum + one.wcu, cost.total),
        read: more.reduce((sum, one) => sum + one.rcu, cost.read),
      };
      if (wcu === told.wcu && read === told.read) continue;
      const name = `${cost.type} ${cost.write} ${cost.attribute ?? ''}`;
      wrong.push(`${name}: ${told.wcu} WCU, ${told.read} RCU; metered ${wcu}, ${read}; ${JSON.stringify(options)}`);
    }
  }
  expect(wrong).toEqual([]);
});
