import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { canonicalText, type Item, numberOf, stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { GONE } from '../../src/core/model/gone.ts';
import { edge, node, part, source, sum } from '../../src/core/model/schema.ts';
import { queriedItems } from '../../src/core/store-pages.ts';
import type { ItemKey } from '../../src/core/store-port.ts';
import { check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { explain } from '../../src/trust/explain/explain.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

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
        parts: { STATE: part({ search: { status: {} } }) },
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
          orders: { gsi0: 'since', byTitle: source('title'), byStatus: source('STATE.status') },
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
const EDGES: readonly ItemKey[] = ['GOAL-1', 'GOAL-2'].flatMap((source) =>
  ['USER-1', 'USER-2'].map((user) => ({ source, target: `MEMBER-${user}` })),
);

/** Attributes of derived items that differ from table to table although nothing else does. */
const OF_WRITES = ['w', 'r', 'model', 'fence', 'expiresAt'];

/** Two tables with the same items, projected: in one an item is marked, in the other it is deleted. */
async function twoTables(way: Way) {
  const [marked, deleted] = [await testTable(goneGraph(way)), await testTable(goneGraph(way))];
  const tables = [marked, deleted];
  const items = new Map<string, Item>();
  const put = async (key: ItemKey, attributes: Item): Promise<void> => {
    const item = { source: { S: key.source }, target: { S: key.target }, ...attributes };
    items.set(`${key.source} ${key.target}`, item);
    for (const { store } of tables) await store.put(item);
  };
  for (const [id, attributes] of NODES) await put({ source: id, target: id }, attributes);
  await put({ source: 'GOAL-1', target: 'STATE' }, { status: { S: 'open' } });
  for (const [i, key] of EDGES.entries()) {
    await put(key, {
      role: { S: i % 2 === 0 ? 'LEAD' : 'HELPER' },
      since: { S: `202${i}` },
      hours: { N: String(i + 1) },
    });
  }
  const itemOf = ({ source, target }: ItemKey): Item => items.get(`${source} ${target}`)!;

  /** Marks an item, and deletes it in the other table. */
  async function take(key: ItemKey): Promise<void> {
    await marked.store.put({ ...itemOf(key), ...way.attributes });
    await deleted.store.delete(key);
  }

  /** Brings an item back in both. */
  async function bring(key: ItemKey): Promise<void> {
    for (const { store } of tables) await store.put(itemOf(key));
  }

  /** Delivers what came in, the records of fan-outs as well, until nothing more comes. */
  async function project(): Promise<void> {
    for (const table of tables) while ((await table.projectAll()).records > 0);
  }

  return { marked, deleted, itemOf, take, bring, project };
}

/** All that is derived in a table, without what only says how it was written. */
async function derivedIn({ store }: Awaited<ReturnType<typeof testTable>>): Promise<string[]> {
  const found: string[] = [];
  for (const id of NODES.map(([of]) => of)) {
    for await (const item of queriedItems(store, { partition: id, sortKey: { beginsWith: '~' }, consistent: true })) {
      const content = Object.entries(item).filter(([name, value]) => {
        // A count that went down to nothing holds zeros.
        return !OF_WRITES.includes(name) && !name.startsWith('keys/') && numberOf(value) !== '0';
      });
      if (content.length > 2) found.push(canonicalText({ M: Object.fromEntries(content) }));
    }
  }
  return found.sort();
}

async function findingsIn({ graph, store }: Awaited<ReturnType<typeof testTable>>, mode: 'report' | 'repair') {
  const findings: Finding[] = [];
  const options = { store, graceMs: 20, mode } as const;
  await check(graph, { ...options, onFinding: (finding) => findings.push(finding) });
  return findings.map(({ source, target, verdict }) => `${source} ${target} ${verdict}`);
}

const WAYS: readonly Way[] = [
  { name: 'that says it is gone', attributes: { [GONE]: { BOOL: true } } },
  { name: 'that is soft-deleted', attributes: { deletedAt: { S: '2026-11-26' } }, deletedWhen: 'deletedAt' },
];
const TAKEN: readonly ItemKey[] = [
  { source: 'GOAL-1', target: 'GOAL-1' },
  { source: 'USER-1', target: 'USER-1' },
  { source: 'GOAL-1', target: 'MEMBER-USER-1' },
  { source: 'GOAL-1', target: 'STATE' },
];

describe.each(WAYS)('a base item $name', (way) => {
  const taken = TAKEN.filter(({ target }) => way.deletedWhen === undefined || target !== 'STATE');
  it.each(taken)('leaves what a deletion of it leaves, and comes back whole: $source $target', async (key) => {
    const { marked, deleted, take, bring, project } = await twoTables(way);
    await project();
    const whole = await derivedIn(marked);
    expect(whole).toEqual(await derivedIn(deleted));
    await take(key);
    await project();
    const without = await derivedIn(deleted);
    expect(without).not.toEqual(whole);
    expect(await derivedIn(marked)).toEqual(without);
    expect(await findingsIn(marked, 'report')).toEqual([]);
    // A repair of everything that was spoilt makes the same.
    for (const { source } of [key, { source: 'GOAL-1' }]) await marked.store.delete({ source, target: '~view' });
    await findingsIn(marked, 'repair');
    expect(await derivedIn(marked)).toEqual(without);
    await bring(key);
    await project();
    expect(await derivedIn(marked)).toEqual(whole);
    expect(await findingsIn(marked, 'report')).toEqual([]);
  });

  it('is in no answer but those from base items', async () => {
    const { marked, take, project } = await twoTables(way);
    await take({ source: 'GOAL-1', target: 'MEMBER-USER-1' });
    await take({ source: 'GOAL-2', target: 'GOAL-2' });
    await project();
    const reader = createReader(marked.graph, { store: marked.store });
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
    const { marked, take, project } = await twoTables(way);
    await project();
    await take({ source: 'USER-1', target: 'USER-1' });
    await take({ source: 'GOAL-1', target: 'MEMBER-USER-1' });
    await project();
    const { graph, store } = marked;
    const findings: Finding[] = [];
    const options = { store, graceMs: 20, dangling: true } as const;
    await check(graph, { ...options, onFinding: (finding) => findings.push(finding) });
    expect(findings.map(({ source, verdict }) => `${source} ${verdict}`)).toEqual(['GOAL-2 dangling']);
    const explained = await explain(graph, { key: { source: 'GOAL-1', target: 'MEMBER-USER-1' }, store });
    expect(explained.notes[0]).toContain('counts as deleted');
    expect(new Set(explained.parts.map(({ state }) => state))).toEqual(new Set(['absent', 'right']));
  });

  it('as the node of joined items: the check finds those that came back, and repairs them', async () => {
    const { marked, take, project } = await twoTables(way);
    await project();
    const joined: Item[] = [];
    const request = { partition: 'GOAL-1', sortKey: { beginsWith: '~ix/' }, consistent: true };
    for await (const item of queriedItems(marked.store, request)) {
      if (stringOf(item['target'])?.includes('MEMBER-')) joined.push(item);
    }
    await take({ source: 'GOAL-1', target: 'GOAL-1' });
    await project();
    for (const item of joined) await marked.store.put(item);
    expect(await findingsIn(marked, 'repair')).toHaveLength(joined.length);
    expect(await findingsIn(marked, 'report')).toEqual([]);
  });
});

it('as a source leaves the orders by its attributes, and counts and totals hold its edges until they are soft-deleted too', async () => {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: { GOAL: node({ view: 'ALL', deletedWhen: 'deletedAt' }), USER: node({ view: 'ALL' }) },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        deletedWhen: 'deletedAt',
        degree: true,
        inbound: { orders: { byTitle: source('title'), bySince: 'since' }, total: { points: sum('points') } },
      }),
    },
  });
  const { store, projectAll } = await testTable(graph);
  const [writer, reader] = [createWriter(graph, { store }), createReader(graph, { store })];
  for (const id of ['GOAL-1', 'GOAL-2'] as const) {
    await writer.putNode(id, { title: id });
    await writer.putEdge(id, 'MEMBER', 'USER-1', { since: '2026', points: 5 });
  }
  const seen = async () => {
    while ((await projectAll()).records > 0);
    const rows = async (order: 'byTitle' | 'bySince') =>
      (await reader.inbound('USER-1', 'MEMBER', { order })).items.length;
    const { count } = await reader.total('USER-1', 'MEMBER');
    return {
      lists: [await rows('byTitle'), await rows('bySince')],
      count,
      degree: await reader.degree('GOAL-2', 'MEMBER'),
    };
  };
  expect(await seen()).toEqual({ lists: [2, 2], count: 2, degree: 1 });
  await writer.updateNode('GOAL-2', { set: { deletedAt: '2026' } });
  expect(await seen()).toEqual({ lists: [1, 2], count: 2, degree: 1 });
  expect(await reader.getView('GOAL-2')).toMatchObject({ attributes: null, edgeSet: [{ target: 'USER-1' }] });
  await writer.updateEdge('GOAL-2', 'MEMBER', 'USER-1', { set: { deletedAt: '2026' } });
  expect(await seen()).toEqual({ lists: [1, 1], count: 1, degree: 0 });
  expect(await reader.getView('GOAL-2')).toBeNull();
});
