import { describe, expect, it } from 'vitest';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { GONE } from '../../src/core/model/gone.ts';
import { edge, node, source, sum } from '../../src/core/model/schema.ts';
import { queriedItems } from '../../src/core/store-pages.ts';
import { explain } from '../../src/trust/explain/explain.ts';
import { checkTools } from '../support/checked-table.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** How an item says that it is gone, and how a type is told of it. */
interface Way {
  name: string;
  attributes: Item;
  deletedWhen?: string;
}

function goneGraph({ deletedWhen }: Way) {
  const deletion = deletedWhen === undefined ? {} : { deletedWhen };
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      GOAL: node({
        view: 'ALL',
        ...deletion,
        search: { title: { shards: 1, project: 'ALL' }, tags: { multiValue: true } },
        list: true,
      }),
      USER: node({ ...deletion, view: ['name'] }),
    },
    edges: {
      MEMBER: edge({
        ...deletion,
        from: 'GOAL',
        to: 'USER',
        edgeSet: ['role'],
        copy: ['name'],
        degree: true,
        outgoing: { total: { hours: sum('hours') } },
        inbound: {
          orders: { gsi0: 'since', byTitle: source('title') },
          project: ['role'],
          projectSource: ['title'],
          includeTarget: true,
          total: { hours: sum('hours') },
          groupBy: ['role'],
        },
      }),
    },
  });
}

const NODES: readonly (readonly [string, Item])[] = [
  ['GOAL-1', { title: { S: 'one' }, tags: { SS: ['a', 'b'] } }],
  ['GOAL-2', { title: { S: 'two' }, tags: { SS: ['b'] } }],
  ['USER-1', { name: { S: 'Ann' } }],
  ['USER-2', { name: { S: 'Bob' } }],
];
const EDGES = ['GOAL-1', 'GOAL-2'].flatMap((source) =>
  ['USER-1', 'USER-2'].map((user) => [source, `MEMBER-${user}`] as const),
);

/** A table with items, of which some are marked. */
async function markedTable(way: Way) {
  const table = await openTable(goneGraph(way));
  const items = new Map<string, Item>();
  const put = async (source: string, target: string, attributes: Item): Promise<void> => {
    const item = { source: { S: source }, target: { S: target }, ...attributes };
    items.set(`${source} ${target}`, item);
    await table.store.put(item);
  };
  for (const [id, attributes] of NODES) await put(id, id, attributes);
  for (const [i, [source, target]] of EDGES.entries()) {
    const role = { S: i % 2 === 0 ? 'LEAD' : 'HELPER' };
    await put(source, target, { role, since: { S: `202${i}` }, hours: { N: String(i + 1) } });
  }

  /** Marks an item. */
  async function take(source: string, target = source): Promise<void> {
    await table.store.put({ ...items.get(`${source} ${target}`)!, ...way.attributes });
  }

  /** Delivers what came in, the records of fan-outs as well, until nothing more comes. */
  async function project(): Promise<void> {
    while ((await table.projectAll()).records > 0);
  }

  return { ...table, ...checkTools(table.graph, table.store), take, project };
}

const WAYS: readonly Way[] = [
  { name: 'that says it is gone', attributes: { [GONE]: { BOOL: true } } },
  { name: 'that is soft-deleted', attributes: { deletedAt: { S: '2026-11-26' } }, deletedWhen: 'deletedAt' },
];

describe.each(WAYS)('a base item $name', (way) => {
  it('is in no answer but those from base items', async () => {
    const { reader, take, project } = await markedTable(way);
    await take('GOAL-1', 'MEMBER-USER-1');
    await take('GOAL-2');
    await project();
    expect((await reader.search('GOAL.title').equals('two')).items).toEqual([]);
    expect((await reader.nodes('GOAL')).items.map(({ id }) => id)).toEqual(['GOAL-1']);
    const nodes = await reader.getViews(['GOAL-1', 'GOAL-2'], { attributes: 'ALL' });
    expect(nodes.map((node) => node?.attributes?.['title'])).toEqual(['one', undefined]);
    expect(nodes[0]!.edgeSet.map(({ target }) => target)).toEqual(['USER-2']);
    expect(await reader.degree('GOAL-1', 'MEMBER')).toBe(1);
    expect((await reader.total('USER-1', 'MEMBER')).count).toBe(1);
    expect((await reader.inbound('USER-1', 'MEMBER')).items.map(({ source }) => source)).toEqual(['GOAL-2']);
    const isShown = way.attributes[GONE] === undefined;
    expect((await reader.getNode('GOAL-2')) !== null).toBe(isShown);
    expect(await reader.has('GOAL-1', 'MEMBER', 'USER-1')).toBe(isShown);
    expect((await reader.edges('GOAL-1', 'MEMBER')).items).toHaveLength(isShown ? 2 : 1);
    const collection = await reader.getCollection('GOAL-2');
    expect([collection.node !== null, collection.items.length]).toEqual([isShown, 2]);
  });

  it('is dangling at the end of an edge, and is explained', async () => {
    const { graph, store, run, take, project } = await markedTable(way);
    await project();
    await take('USER-1');
    await take('GOAL-1', 'MEMBER-USER-1');
    await project();
    const { findings } = await run({ dangling: true });
    expect(findings.map(({ source, verdict }) => `${source} ${verdict}`)).toEqual(['GOAL-2 dangling']);
    const explained = await explain(graph, { key: { source: 'GOAL-1', target: 'MEMBER-USER-1' }, store });
    expect(explained.notes[0]).toContain('counts as deleted');
    expect(new Set(explained.parts.map(({ state }) => state))).toEqual(new Set(['absent', 'right']));
  });

  it('as the node of joined items: the check finds those that came back, and repairs them', async () => {
    const { store, run, take, project } = await markedTable(way);
    await project();
    const joined: Item[] = [];
    const request = { partition: 'GOAL-1', sortKey: { beginsWith: '~ix/' }, consistent: true };
    for await (const item of queriedItems(store, request)) {
      if (stringOf(item['target'])?.includes('MEMBER-')) joined.push(item);
    }
    await take('GOAL-1');
    await project();
    for (const item of joined) await store.put(item);
    expect((await run({ mode: 'repair' })).findings).toHaveLength(joined.length);
    expect((await run()).findings).toEqual([]);
  });
});
