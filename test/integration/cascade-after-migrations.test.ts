import { describe, expect, it } from 'vitest';
import {
  type CompiledModel,
  createWriter,
  defineGraph,
  type EdgeloomError,
  edge,
  node,
  rank,
} from '../../src/index.ts';
import type { DeletedNode } from '../../src/types.ts';
import { Random } from '../simulator/kernel/random.ts';
import { evolvingTable } from '../support/migrating-table.ts';

/**
 * `deleteNodeWithEdges` finds the edges that enter a node whatever has happened to the model since they were written: its writer
 * may be of any of the models, and may have been made before the others were brought to the table.
 */

interface Options {
  shards: number;
  orders: Record<string, unknown>;
  keys?: 'hashed';
  list?: boolean;
}

function modelOf(table: string, { shards, orders, keys, list = false }: Options): CompiledModel {
  return defineGraph({
    table,
    nodes: { A: node({ view: 'ALL', list, search: { name: { shards: 2 } } }), B: node({ view: ['title'] }) },
    edges: {
      AB: edge({
        from: 'A',
        to: 'B',
        ...(keys && { keys }),
        ...(Object.keys(orders).length > 0 && { inbound: { shards, orders } }),
      } as never),
    },
  } as never) as CompiledModel;
}

const EDGES = 7;
const SINCE = { gsi0: 'since' };
const ROLE = { gsi0: rank('role', { LEAD: 500, GUEST: 300 }) };

/** A table with both indexes, and models for it. */
async function tableOf(options: readonly Options[]) {
  const table = await evolvingTable((name) => ({
    both: modelOf(name, { shards: 1, orders: { gsi0: 'since', gsi1: 'role' } }),
  }));
  return { ...table, models: options.map((one) => modelOf(table.both.table.name, one)) };
}
type Table = Pick<Awaited<ReturnType<typeof tableOf>>, 'store' | 'projectAll'>;

/** A node with edges that enter it, all of it projected. */
async function fill(table: Table, graph: CompiledModel): Promise<void> {
  const writer = createWriter(graph, { store: table.store });
  await writer.putNode('B-1', { title: 'one' });
  for (let i = 0; i < EDGES; i++) {
    await writer.putNode(`A-${i}`, { name: `n${i}` });
    await writer.putEdge(`A-${i}`, 'AB', 'B-1', { since: `202${i}`, role: i % 2 === 0 ? 'LEAD' : 'GUEST' });
  }
  await table.projectAll();
}

/** What a cascade did, or the code of its error. */
async function outcomeOf(deleting: Promise<DeletedNode>): Promise<DeletedNode | string> {
  try {
    return await deleting;
  } catch (error) {
    return (error as EdgeloomError).code;
  }
}

/** The edges that still enter the node, from a scan of the base items. */
async function edgesLeft({ store }: Pick<Table, 'store'>): Promise<string[]> {
  const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
  return items
    .map(({ source, target }) => `${(source as { S: string }).S} ${(target as { S: string }).S}`)
    .filter((key) => key.includes(' AB-'));
}

const CASES: [what: string, ...models: Options[]][] = [
  ['fewer shards', { shards: 4, orders: SINCE }, { shards: 1, orders: SINCE }],
  ['a named order in the place of gsi0', { shards: 1, orders: SINCE }, { shards: 2, orders: { byRole: 'role' } }],
  ['another rank', { shards: 2, orders: SINCE }, { shards: 2, orders: ROLE }],
  ['hashed keys', { shards: 1, orders: SINCE, keys: 'hashed' }, { shards: 3, orders: SINCE, keys: 'hashed' }],
  ['two changes', { shards: 1, orders: SINCE }, { shards: 2, orders: ROLE }, { shards: 3, orders: SINCE }],
];

describe('deleteNodeWithEdges after migrations', () => {
  describe.each(CASES)('that have brought %s', (_what, ...options) => {
    it.each([
      { who: 'of the last model', at: (models: CompiledModel[]) => models.at(-1)! },
      { who: 'of the first model', at: (models: CompiledModel[]) => models[0]! },
    ])('deletes every edge that enters the node, by a writer $who', async ({ at }) => {
      const { models, ...table } = await tableOf(options);
      await table.migrate(models[0]!);
      // It has been there since before the model changed.
      const writer = createWriter(at(models), { store: table.store });
      await fill(table, models[0]!);
      for (const model of models.slice(1)) expect((await table.migrate(model)).done).toBe(true);
      const deleted = await writer.deleteNodeWithEdges('B-1');
      expect(await edgesLeft(table)).toEqual([]);
      expect(deleted).toMatchObject({ edges: EDGES, nodes: 1 });
    });
  });

  it.each([
    { when: 'while a model is being brought to the table', isManaged: true },
    { when: 'while a table that is in use is being registered', isManaged: false },
  ])('deletes every edge, or says that it cannot, $when', async ({ isManaged }) => {
    const random = new Random(3);
    for (let stop = 1; stop <= 8; stop++) {
      const { models, ...table } = await tableOf([
        { shards: 1, orders: SINCE },
        { shards: 3, orders: ROLE },
      ]);
      const [before, after] = models as [CompiledModel, CompiledModel];
      if (isManaged) await table.migrate(before);
      await fill(table, before);
      // The migration ends after some of its steps.
      await table.migrate(after, { mostSteps: stop });
      const writer = createWriter(random.chance(0.5) ? before : after, { store: table.store });
      const outcome = await outcomeOf(writer.deleteNodeWithEdges('B-1'));
      const left = await edgesLeft(table);
      if (typeof outcome === 'string') {
        // What is not found is not orphaned either: the node stays.
        const { item } = await table.store.get({ source: 'B-1', target: 'B-1' }, { consistent: true });
        const isThere = item !== undefined;
        expect({ stop, outcome, isThere }).toEqual({ stop, outcome: 'projection-not-ready', isThere: true });
      } else {
        expect({ stop, left }).toEqual({ stop, left: [] });
        expect(outcome).toMatchObject({ edges: EDGES, nodes: 1 });
      }
    }
  });

  it.each([
    { kind: 'drop' as const, orders: {} },
    { kind: 'retire' as const, orders: { ...SINCE, gsi1: 'role' } },
  ])('deletes every edge, or says that it cannot, after a $kind of what its model has', async ({ kind, orders }) => {
    const { models, ...table } = await tableOf([
      { shards: 2, orders: SINCE },
      { shards: 2, orders },
    ]);
    const [before, after] = models as [CompiledModel, CompiledModel];
    await table.migrate(before);
    await fill(table, before);
    await table.migrate(after);
    expect((await table.migrate(after, { action: { kind, name: 'inbound:AB' } })).done).toBe(true);
    const outcome = await outcomeOf(createWriter(before, { store: table.store }).deleteNodeWithEdges('B-1'));
    const left = await edgesLeft(table);
    const isSaid = typeof outcome === 'string' || outcome.notFound.includes('AB');
    expect({ outcome, left, isRight: left.length === 0 || isSaid }).toMatchObject({ isRight: true });
    if (kind === 'drop') return;
    await fill(table, after);
    const deleted = await createWriter(after, { store: table.store }).deleteNodeWithEdges('B-1');
    expect(await edgesLeft(table)).toEqual([]);
    expect(deleted).toMatchObject({ edges: EDGES, nodes: 1 });
  });
});
