import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/admin.ts';
import type { AttributeValue, Item } from '../../src/core/items/attribute-value.ts';
import {
  type CompiledModel,
  createReader,
  createSession,
  defineGraph,
  edge,
  node,
  type Reader,
  source,
} from '../../src/index.ts';
import { checkTools } from '../support/checked-table.ts';
import { evolvingTable } from '../support/migrating-table.ts';
import { allPages } from '../support/reader.ts';

/**
 * Somebody who may write into a partition of their own puts an item there that names an index partition of others. Readers of that
 * partition do not serve it, and a repair takes it away.
 */

function modelOf(name: string): CompiledModel {
  return defineGraph({
    table: name,
    nodes: {
      USER: node({
        view: 'ALL',
        list: true,
        search: {
          name: { shards: 2, project: 'ALL' },
          tags: { multiValue: true, shards: 1 },
          status: { shards: 1, shardBy: 'source' },
          key: { shards: 'value' },
        },
      }),
      GOAL: node({ view: 'ALL' }),
    },
    edges: {
      MEMBER: edge({
        ...{ from: 'GOAL', to: 'USER', degree: true },
        inbound: {
          orders: { gsi0: 'since', gsi1: 'role', byRole: 'role', byTitle: source('title') },
          shards: 2,
          project: ['role'],
        },
      } as never),
      HASHED: edge({
        ...{ from: 'GOAL', to: 'USER', keys: 'hashed' },
        inbound: { orders: { gsi0: 'since' }, shards: 1, includeTarget: true },
      } as never),
    },
  } as never) as CompiledModel;
}

/** Own sort keys that no projection can make which has the forged place, whatever it looks like. */
const OWN_KEYS = [
  ...['~ix/x', '~ix/@2/x', '~ix/@9/name', '~ix/#x/MEMBER-USER-u1', '~ix/#byName/x', '~ix/unknown/n1', '~ix/'],
  ...[
    '~ix/#includeTarget/MEMBER',
    '~ix/MEMBER-USER-u1',
    '~ix/#0123456789abcdef0123456789abcdef',
    '~x',
    '~degree/MEMBER',
  ],
  ...['~rev/MEMBER-USER-u1', '~view2', '~ix/@9/#0123456789abcdef0123456789abcdef'],
];

/** The places of a table's index items that a forger copies: from each projection one, by the questions that it answers. */
const PLACES = [
  '~ix/name',
  '~ix/tags/t1',
  '~ix/status',
  '~ix/key',
  '~ix/',
  '~ix/MEMBER-USER-u1',
  '~ix/#byRole/MEMBER-USER-u1',
  '~ix/#byTitle/MEMBER-USER-u1',
  '~ix/#includeTarget/HASHED',
];

async function filledTable({ isRegistered = true } = {}) {
  const table = await evolvingTable((name) => ({ model: modelOf(name) }));
  if (isRegistered) expect((await table.migrate(table.model)).done).toBe(true);
  const { writer } = table;
  for (const id of ['USER-u1', 'USER-u2'] as const)
    await writer.putNode(id, { name: 'n1', tags: ['t1', 't2'], status: 'open', key: 'k1' });
  for (const id of ['GOAL-g1', 'GOAL-g2'] as const) {
    await writer.putNode(id, { title: 't1' });
    await writer.putEdge(id, 'MEMBER', 'USER-u1', { since: '2020', role: 'LEAD' });
    await writer.putEdge(id, 'HASHED', 'USER-u1', { since: '2020' });
  }
  await table.projectAll();
  return { ...table, reader: createReader(table.model, { store: table.store }) as Reader };
}

/** Everything that is asked of indexes. */
async function answers(reader: Reader): Promise<Record<string, unknown>> {
  const ids = ({ items }: { items: readonly { id: string }[] }) => items.map(({ id }) => id);
  const sources = ({ items }: { items: readonly { source: string }[] }) => items.map(({ source }) => source);
  const name = reader.search('USER.name');
  const own = reader.with(createSession());
  return {
    eq: ids(await name.equals('n1')),
    all: ids(await name.all()),
    latest: ids(await name.latest()),
    beginsWith: ids(await name.beginsWith('n')),
    limited: ids(await name.all({ limit: 1 })),
    count: (await name.count()).count,
    shards: (await reader.shards('USER.name')).items,
    countEq: (await name.count({ equals: 'n1' } as never)).count,
    ofSession: ids(await own.search('USER.name').all()),
    tags: ids(await reader.search('USER.tags').all()),
    status: ids(await reader.search('USER.status').all()),
    statusCount: (await reader.search('USER.status').count()).count,
    key: ids(await reader.search('USER.key').equals('k1')),
    nodes: ids(await reader.nodes('USER')),
    inbound: sources(await reader.inbound('USER-u1', 'MEMBER')),
    byRole: sources(await reader.inbound('USER-u1', 'MEMBER', { order: 'byRole' } as never)),
    byTitle: sources(await reader.inbound('USER-u1', 'MEMBER', { order: 'byTitle' } as never)),
    gsi1: sources(await reader.inbound('USER-u1', 'MEMBER', { order: 'gsi1' } as never)),
    filtered: sources(await reader.inbound('USER-u1', 'MEMBER', { where: { role: 'LEAD' } } as never)),
    hashed: sources(await reader.inbound('USER-u1', 'HASHED')),
    target: (await reader.inbound('USER-u1', 'HASHED', { includeTarget: true, reverse: true } as never)).target?.id,
    inDegree: (await reader.inDegree('USER-u1', 'MEMBER')).count,
    degree: await reader.degree('GOAL-g1', 'MEMBER'),
    page: (await reader.page('USER-u1', 'MEMBER')).items.map(({ id }) => id),
  };
}

type Filled = Awaited<ReturnType<typeof filledTable>>;

/** An item of a table under another key. */
function forged(of: Item, forger: string, target: string, rename: (text: string) => string): Item {
  const copied = Object.entries(of).map(([attribute, value]): [string, AttributeValue] => {
    if (/^gsi\dsk$/.test(attribute)) return [attribute, { S: rename((value as { S: string }).S) }];
    return [attribute, value];
  });
  return { ...Object.fromEntries(copied), source: { S: forger }, target: { S: target } };
}

/** Whether the projection of the place could make the key: then only its base item tells that it is forged. */
function isPossible(own: string, place: string): boolean {
  return own === place || (own.startsWith('~ix/#0') && place.includes('MEMBER'));
}

/** Puts a copy of an item of each projection under a key of a forger's own; gives the forgers. */
async function forge({ store }: Filled, own: string): Promise<string[]> {
  const forgers: string[] = [];
  for (const place of PLACES) {
    for (const source of ['USER-u1', 'GOAL-g1']) {
      const { item } = await store.get({ source, target: place }, { consistent: true });
      if (item === undefined || isPossible(own, place)) continue;
      const forger = `${source.split('-')[0]}-forger${forgers.length}${OWN_KEYS.indexOf(own)}`;
      await store.put(forged(item, forger, own, (text) => text.replace(source, forger)));
      forgers.push(forger);
    }
  }
  return forgers;
}

async function run({ graph, store }: Filled, mode: 'report' | 'repair'): Promise<Finding[]> {
  return (await checkTools(graph, store).run({ mode, graceMs: 1_000 })).findings;
}

/** What stands in index partitions of the items of some partitions. */
async function itemsOf({ store }: Filled, sources: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const source of sources) {
    const { items } = await store.query({ partition: source, consistent: true });
    const indexed = items.filter((item) => item['gsi0pk'] !== undefined || item['gsi1pk'] !== undefined);
    found.push(...indexed.map(({ target }) => `${source} ${(target as { S: string }).S}`));
  }
  return found;
}

describe('items that somebody else puts into an index partition', () => {
  it.each(OWN_KEYS)('under the key %s are served by no read', async (own) => {
    const table = await filledTable();
    const right = await answers(table.reader);
    expect((await forge(table, own)).length).toBeGreaterThan(3);
    expect(await answers(table.reader)).toEqual(right);
  });

  it.each([
    { of: 'a table with a registry', isRegistered: true },
    { of: 'a table without one', isRegistered: false },
  ])('are taken away by a repair of $of, which leaves all others', async ({ isRegistered }) => {
    const table = await filledTable({ isRegistered });
    const right = await answers(table.reader);
    const before = await itemsOf(table, ['USER-u1', 'GOAL-g1']);
    const forgers: string[] = [];
    for (const own of OWN_KEYS) forgers.push(...(await forge(table, own)));
    expect((await itemsOf(table, forgers)).length).toBe(forgers.length);
    expect((await run(table, 'report')).length).toBeGreaterThan(0);
    expect(await answers(table.reader)).toEqual(right);
    await run(table, 'repair');
    expect(await itemsOf(table, forgers)).toEqual([]);
    expect(await itemsOf(table, ['USER-u1', 'GOAL-g1'])).toEqual(before);
    expect(await run(table, 'report')).toEqual([]);
    expect(await answers(table.reader)).toEqual(right);
  });

  it('do not hide what stands beside them from pages', async () => {
    const table = await filledTable();
    for (const own of OWN_KEYS) await forge(table, own);
    const pages = await allPages((cursor) => table.reader.search('USER.name').all({ limit: 1, cursor }));
    expect(pages.flat().map(({ id }) => id)).toEqual(['USER-u1', 'USER-u2']);
  });

  it('are called misplaced in the partitions of each search of a pack, also of those that the shared item is not named after', async () => {
    const table = await evolvingTable((name) => ({
      model: defineGraph({
        table: { name, indexes: 2 },
        nodes: { USER: node({ search: { mail: { shards: 1 }, name: { shards: 1 } } }) },
      }),
    }));
    const { graph, store, writer, projectAll } = table;
    await table.migrate(graph);
    await writer.putNode('USER-u1', { mail: 'm1', name: 'n1' });
    await projectAll();
    const { item } = await store.get({ source: 'USER-u1', target: '~ix/mail' }, { consistent: true });
    const inIndex = (index: string): Item =>
      Object.fromEntries(Object.entries(item!).filter(([name]) => !name.startsWith('gsi') || name.startsWith(index)));
    const places = { 'USER-forger1': inIndex('gsi0'), 'USER-forger2': inIndex('gsi1') };
    for (const [forger, place] of Object.entries(places))
      await store.put(forged(place, forger, '~ix/x', (text) => text.replace('USER-u1', forger)));
    const findings = await run({ graph, store } as Filled, 'report');
    const owners = findings.map(({ source, actual }) => `${source}: ${actual?.slice(0, actual.indexOf(': M'))}`);
    expect(owners.sort()).toEqual(
      ['mail', 'name'].map(
        (search, i) =>
          `USER-forger${i + 1}: an item in an index partition of search:USER.${search}@1, which does not make an item with this key`,
      ),
    );
    await run({ graph, store } as Filled, 'repair');
    expect(await run({ graph, store } as Filled, 'report')).toEqual([]);
    expect(await itemsOf({ store } as Filled, ['USER-u1', ...Object.keys(places)])).toEqual(['USER-u1 ~ix/mail']);
  });
});
