import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { checkTools } from '../support/checked-table.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** A model with every kind of derived item that lies in the partition of its base item. */
function socialGraph({ table = uniqueTableName(), counted = true, follows = true } = {}) {
  return defineGraph({
    table,
    nodes: { USER: node({ view: ['name'], viewBudgetBytes: 1024, search: { name: {} } }) },
    edges: {
      ...(follows && {
        FOLLOWS: edge({
          from: 'USER',
          to: 'USER',
          edgeSet: false,
          degree: counted,
          inbound: { orders: { gsi0: 'since' } },
        }),
      }),
      BLOCKS: edge({ from: 'USER', to: 'USER', edgeSet: ['note'], degree: false }),
      LIKES: edge({ from: 'USER', to: 'USER', degree: true }),
      KNOWS: edge({ from: 'USER', to: 'USER', keys: 'hashed' }),
    },
  });
}

async function social() {
  const table = await openTable(socialGraph());
  const { graph, store, writer, projectAll } = table;
  for (const name of ['1', '2', '3']) await writer.putNode(`USER-${name}`, { name: `user ${name}` });
  for (const target of ['2', '3']) {
    await writer.putEdge('USER-1', 'FOLLOWS', `USER-${target}`, { since: '2026' });
    await writer.putEdge('USER-1', 'LIKES', `USER-${target}`);
    await writer.putEdge('USER-1', 'BLOCKS', `USER-${target}`);
  }
  await projectAll();

  async function run(mode: 'report' | 'repair' | 'rebuild', model: CompiledModel = graph) {
    const result = await checkTools(model, store).run({ mode });
    return { ...result, drifted: result.findings.map(({ source, target }) => `${source} ${target}`).sort() };
  }

  async function read(target: string, source = 'USER-1'): Promise<Item | undefined> {
    return (await store.get({ source, target }, { consistent: true })).item;
  }

  async function corrupt(target: string, change: Item): Promise<void> {
    await store.put({ ...(await read(target))!, ...change });
  }

  return { ...table, run, read, corrupt };
}

const VIEW = '~view';
const FOLLOWS_2 = '~ix/FOLLOWS-USER-2';
const LIKES_2 = '~ix/LIKES-USER-2';
const FOLLOWS_COUNT = '~degree/FOLLOWS';
const LIKES_COUNT = '~degree/LIKES';

describe('a derived item that is not exactly what is expected', () => {
  it.each<[what: string, target: string, change: Item]>([
    ['an unknown attribute on a view', VIEW, { note: { S: 'mine' } }],
    ['an unknown attribute on an index item', FOLLOWS_2, { note: { S: 'mine' } }],
    ['an unknown attribute on a count', FOLLOWS_COUNT, { note: { S: 'mine' } }],
    ['an edge set on an index item', FOLLOWS_2, { edgeSet: { SS: ['FOLLOWS-USER-9'] } }],
    ['index keys on a view', VIEW, { gsi0pk: { S: 'FOLLOWS-USER-2' }, gsi0sk: { S: 'x' } }],
    ['index keys on a count', FOLLOWS_COUNT, { gsi0pk: { S: 'FOLLOWS-USER-2' }, gsi0sk: { S: 'x' } }],
    ['an expiry on a count', FOLLOWS_COUNT, { expiresAt: { N: '99999999999' } }],
    ['a revision that is a text', VIEW, { r: { S: 'three' } }],
    ['a revision of an index item that is a text', FOLLOWS_2, { r: { S: 'three' } }],
    ['a revision of a count that is a text', FOLLOWS_COUNT, { r: { S: 'three' } }],
    ['marks of evicted types that are no set', VIEW, { evicted: { S: 'BLOCKS' } }],
    ['a fence that is a text', VIEW, { fence: { S: 'now' } }],
    ['attributes that are no map', VIEW, { attributes: { S: 'name' } }],
    ['a count that is no number', FOLLOWS_COUNT, { count: { S: 'two' } }],
  ])('is found and mended in one repair: %s', async (_what, target, change) => {
    const { run, read, corrupt } = await social();
    const before = await read(target);
    await corrupt(target, change);
    expect((await run('report')).drifted).toEqual([`USER-1 ${target}`]);
    await run('repair');
    expect(await run('report')).toMatchObject({ drifted: [], pending: 0 });
    const { r: _revision, fence: _fence, ...after } = (await read(target))!;
    const { r: _earlier, ...expected } = before!;
    expect(after).toEqual(expected);
  });

  it.each<[change: Item, stored: string]>([
    [{ note: { S: 'mine' } }, 'attributes that Edgeloom does not write, or writes with another type: note'],
    [{ r: { S: 'three' } }, 'a revision (attribute r) that Edgeloom does not write: {"S":"three"}'],
  ])('is found with words for what is wrong: %j', async (change, stored) => {
    const { run, corrupt } = await social();
    await corrupt(FOLLOWS_COUNT, change);
    expect((await run('report')).findings).toMatchObject([{ target: FOLLOWS_COUNT, actual: stored }]);
  });

  it('is found and mended where its revision is missing', async () => {
    const { store, run, read } = await social();
    for (const target of [VIEW, FOLLOWS_2, FOLLOWS_COUNT]) {
      const { r: _revision, ...item } = (await read(target))!;
      await store.put(item);
    }
    const { drifted, findings } = await run('report');
    expect(drifted).toEqual([FOLLOWS_COUNT, FOLLOWS_2, VIEW].map((key) => `USER-1 ${key}`));
    expect(new Set(findings.map(({ actual }) => actual))).toEqual(
      new Set(['no revision (attribute r), which every write of Edgeloom sets']),
    );
    await run('repair');
    expect((await run('report')).drifted).toEqual([]);
  });
});

describe('a revision of another type', () => {
  it('makes neither the projector nor a repair loop, and blocks no shard', async () => {
    const { writer, projectAll, run, read, corrupt } = await social();
    for (const target of [VIEW, FOLLOWS_2, FOLLOWS_COUNT, LIKES_2]) await corrupt(target, { r: { S: 'three' } });
    await writer.putEdge('USER-1', 'BLOCKS', 'USER-2', { note: 'changed' });
    await writer.deleteEdge('USER-1', 'BLOCKS', 'USER-3');
    await writer.deleteEdge('USER-1', 'LIKES', 'USER-2');
    await writer.putEdge('USER-1', 'FOLLOWS', 'USER-2', { since: '2027' });
    await writer.putEdge('USER-2', 'BLOCKS', 'USER-3');
    const { writes } = await projectAll();
    expect(writes).toBeLessThan(20);
    expect(await read(VIEW, 'USER-2')).toMatchObject({ edgeSet: { SS: ['BLOCKS-USER-3'] } });
    await run('repair');
    expect((await run('report')).findings.filter(({ verdict }) => verdict !== 'quarantined')).toEqual([]);
    expect((await read(VIEW))!['edgeSet']).toEqual({ SS: expect.arrayContaining(['BLOCKS-USER-2|note=changed']) });
  });
});

describe('a counted item', () => {
  it.each<[what: string, target: string, counted: Item]>([
    ['names no count', FOLLOWS_2, {}],
    ['names the count of another type', FOLLOWS_2, { counted: { S: 'LIKES' } }],
    ['names a type that there is not', FOLLOWS_2, { counted: { S: 'NONE' } }],
    ['names its count by no text', FOLLOWS_2, { counted: { N: '1' } }],
    ['is a search item', '~ix/name', { counted: { S: 'FOLLOWS' } }],
  ])('that %s is mended with all counts by one repair', async (_what, target, counted) => {
    const { store, reader, run, read } = await social();
    const { counted: _counted, ...item } = (await read(target))!;
    await store.put({ ...item, ...counted });
    expect((await run('report')).drifted).toContain(`USER-1 ${target}`);
    await run('repair');
    expect((await run('report')).drifted).toEqual([]);
    expect(await reader.degree('USER-1', 'FOLLOWS')).toBe(2);
    expect(await reader.degree('USER-1', 'LIKES')).toBe(2);
  });
});

describe('a type that is counted no more', () => {
  it.each([
    ['its option degree is gone', { counted: false }],
    ['it left the model', { follows: false }],
  ])('leaves nothing behind after one rebuild: %s', async (_what, change) => {
    const { graph, run, read } = await social();
    const without = socialGraph({ table: graph.table.name, ...change });
    await run('rebuild', without);
    const { drift } = await run('report', without);
    expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    expect(await read(FOLLOWS_COUNT)).toBeUndefined();
    expect(await read(LIKES_COUNT)).toMatchObject({ count: { N: '2' } });
  });
});

describe('the degree of an evicted type', () => {
  it('leaves out edges that cannot be derived, as the set did', async () => {
    const { writer, store, reader, projectAll, read } = await social();
    for (let i = 0; i < 60; i++) await writer.putEdge('USER-2', 'BLOCKS', `USER-much-longer-${i}`);
    await store.put({ source: { S: 'USER-2' }, target: { S: 'BLOCKS-TEAM-1' } });
    await store.put({ source: { S: 'USER-2' }, target: { S: 'BLOCKS-USER-x' }, note: { L: [] } });
    await projectAll();
    expect(await read(VIEW, 'USER-2')).toMatchObject({ evicted: { SS: ['BLOCKS'] } });
    expect(await reader.degree('USER-2', 'BLOCKS')).toBe(60);
  });
});

describe('an id that is longer than a sort key', () => {
  const LONG = `USER-${'x'.repeat(1_400)}` as const;

  it('is unknown to a reader that asks for all attributes', async () => {
    const { reader } = await social();
    expect(await reader.getViews([LONG], { attributes: 'ALL' })).toEqual([null]);
  });

  it('does not stop a check where a view names an edge to it that cannot be', async () => {
    const { run, corrupt } = await social();
    await corrupt(VIEW, { edgeSet: { SS: [`BLOCKS-${LONG}`] }, attributes: { M: {} } });
    expect((await run('report')).drifted).toEqual([`USER-1 ${VIEW}`]);
    await run('repair');
    expect((await run('report')).drifted).toEqual([]);
  });
});
