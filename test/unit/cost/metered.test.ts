import { expect, it } from 'vitest';
import { modelCost } from '../../../packages/cost/capacity.ts';
import type { WriteCost } from '../../../packages/cost/writes.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { Choices } from '../../simulator/kernel/choices.ts';
import { chooseModel, graphOf, type ModelOptions } from '../../simulator/packs/projecting/models.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

/** Every cell of `cost` against a projector whose store counts units, in batches of one, for models drawn at random. */

const MODELS = 30;
/** Values of the attribute of a multi-valued search. */
const VALUES = 3;
/** Units that a batch with a write reads of a table without a registry, besides what `cost` says: the head, and rebuilds before and after. */
const [REGISTRY, REGISTRY_UNCHANGED] = [3, 2];

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
  kind: text('build'),
  other: text('other'),
};

const CHANGED: Item = {
  ...Object.fromEntries(Object.keys(FULL).map((name) => [name, text(`${name} changed`)])),
  tags: tags('z'),
  role: text('LEAD'),
  date: text('2026-02-02T00:00:00.000Z'),
  hours: { N: '2' },
};

/** The key of an item of each type: edges leave a goal, but for those between goals, which enter it. */
function keyOf(graph: CompiledModel, { type, kind }: WriteCost): [source: string, target: string] {
  if (kind === 'node') return [`${type}-1`, `${type}-1`];
  if (kind === 'part') return [`${type.split('.')[0]}-1`, type.split('.')[1]!];
  const [to] = graph.edges.get(type)!.to;
  return [to === 'GOAL' ? 'GOAL-2' : 'GOAL-1', `${type}-${to}-1`];
}

interface Units {
  wcu: number;
  read: number;
}

/** The units of each write of a model, one after the other in one table: items come, change there and back, go and come again. */
async function metered(graph: CompiledModel, costs: readonly WriteCost[]): Promise<Map<WriteCost, Units>> {
  const table = new StreamedStore(graph);
  const projector = createProjector(graph, { store: table });
  const put = async (cost: WriteCost, item: Item | undefined): Promise<Units> => {
    const record = (await table.producer(...keyOf(graph, cost), item))!;
    const { wcu, rcu, units, failedFrom } = await projector.project([record]);
    expect(failedFrom).toBeUndefined();
    return { wcu: wcu + 1, read: rcu - (units > 0 ? REGISTRY : REGISTRY_UNCHANGED) };
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
  for (const [{ write, attribute, type, total, read }, units] of await metered(graph, writes)) {
    expect({ type, write, attribute, wcu: total, read }).toEqual({ type, write, attribute, ...units });
  }
  expect(writes.find(({ type, write }) => type === 'MEMBER' && write === 'create')!.total).toBe(10 - indexes);
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
