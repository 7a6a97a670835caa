import { describe, expect, it } from 'vitest';
import { type CheckOptions, check } from '../../src/admin.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, source } from '../../src/core/model/schema.ts';
import { evolvingTable } from '../support/migrating-table.ts';

const CLEAN = { drift: { missing: 0, stale: 0, orphan: 0 }, unregistered: 0, pending: 0 };

describe('the list of a node type', () => {
  /** A table with a list, of which the registry has the model. */
  async function listedTable() {
    const table = await evolvingTable((of) => ({
      plain: defineGraph({ table: of, nodes: { A: node({ view: 'ALL', search: { name: { shards: 1 } } }) } }),
      listed: defineGraph({
        table: of,
        nodes: { A: node({ view: 'ALL', list: true, search: { name: { shards: 1 } } }) },
      }),
    }));
    const put = (i: number) =>
      table.store.put({ source: { S: `A-${i}` }, target: { S: `A-${i}` }, name: { S: `name ${i}` } });
    const run = (options: Partial<CheckOptions> = {}, graph: CompiledModel = table.listed) =>
      check(graph, { store: table.store, graceMs: 10, segments: 2, ...options });
    const listed = async (mark = '') =>
      (await itemsWith(table, (key) => key === `~ix/${mark}`)).map(({ source }) => stringOf(source));
    return { ...table, put, run, keys: listed };
  }

  it('is compared, mended and dropped as every search is', async () => {
    const { listed, plain, put, run, keys, migrate, projectAll, reader, store } = await listedTable();
    await migrate(listed);
    for (let i = 0; i < 5; i++) await put(i);
    await projectAll();
    expect(await run()).toMatchObject(CLEAN);
    // A ghost, and one that is lost.
    const [found] = await itemsWith({ store }, (key) => key === '~ix/');
    await store.put({ ...found!, source: { S: 'A-ghost' }, gsi0sk: { S: '\u0000A-ghost' } });
    await store.delete({ source: 'A-3', target: '~ix/' });
    expect(await run()).toMatchObject({ drift: { missing: 1, orphan: 1 }, unregistered: 0 });
    expect(await run({ mode: 'repair' })).toMatchObject({ repaired: 2 });
    expect(await run()).toMatchObject(CLEAN);
    const nodes = await reader(listed).nodes('A');
    expect(nodes.items.map(({ id }) => id)).toEqual(['A-0', 'A-1', 'A-2', 'A-3', 'A-4']);
    await migrate(plain, { action: { kind: 'drop', name: 'list:A' } });
    expect(await keys()).toEqual([]);
    expect(await run({}, plain)).toMatchObject(CLEAN);
  });

  it('has no strays after the first migrate of a table that was projected before, nor in a later generation', async () => {
    const { listed, plain, put, run, keys, migrate, projectAll, store } = await listedTable();
    for (let i = 0; i < 3; i++) await put(i);
    await projectAll();
    const stray = { ...{ target: { S: '~ix/' }, gsi0pk: { S: 'A.#1' }, r: { N: '1' } } };
    await store.put({ ...stray, source: { S: 'A-gone' }, gsi0sk: { S: '\u0000A-gone' } });
    await migrate(listed, { random: () => 0 });
    expect((await keys()).sort()).toEqual(['A-0', 'A-1', 'A-2']);
    expect(await run()).toMatchObject(CLEAN);
    await migrate(plain, { action: { kind: 'drop', name: 'list:A' } });
    await migrate(listed);
    expect(await keys()).toEqual([]);
    expect((await keys('@2/')).sort()).toEqual(['A-0', 'A-1', 'A-2']);
    await store.put({ ...stray, source: { S: 'A-gone' }, target: { S: '~ix/@2/' }, gsi0sk: { S: '\u0000A-gone' } });
    expect(await run({ mode: 'repair' })).toMatchObject({ drift: { orphan: 1 }, repaired: 1 });
    expect(await run()).toMatchObject(CLEAN);
  });
});

describe('an item that somebody else has put into an index partition', () => {
  it.each<['with a registry' | 'without one']>([['with a registry'], ['without one']])(
    'is served by no reader, in no count, and a repair takes it away: %s',
    async (kind) => {
      const table = await evolvingTable((of) => ({
        graph: defineGraph({
          table: of,
          nodes: {
            USER: node({
              view: 'ALL',
              list: true,
              search: { name: { shards: 1 }, tags: { multiValue: true, shards: 1 } },
            }),
            TEAM: node({ view: 'ALL' }),
            SPY: node({ view: 'ALL' }),
          },
          edges: {
            JOINED: edge({
              from: 'USER',
              to: 'TEAM',
              inbound: {
                orders: { gsi0: 'since', gsi1: 'rank', byName: source('name') },
                projectSource: ['name'],
                includeTarget: true,
              },
            }),
            LIKES: edge({ from: 'USER', to: 'TEAM', inbound: { orders: { gsi0: 'since' } } }),
          },
        }),
      }));
      const { graph, store, migrate, projectAll, reader } = table;
      if (kind === 'with a registry') await migrate(graph);
      const put = (source: string, target: string, attributes: Item = {}) =>
        store.put({ source: { S: source }, target: { S: target }, ...attributes });
      await put('USER-1', 'USER-1', { name: { S: 'Ann' }, tags: { SS: ['a', 'b'] } });
      await put('TEAM-1', 'TEAM-1');
      await put('SPY-1', 'SPY-1');
      const fields = { since: { S: '2026' }, rank: { S: '7' } };
      await put('USER-1', 'JOINED-TEAM-1', fields);
      await put('USER-1', 'LIKES-TEAM-1', fields);
      await projectAll();
      const real = reader(graph);
      const answers = async () => [
        (await real.nodes('USER')).items.length,
        (await real.search('USER.name').all()).items.length,
        (await real.search('USER.name').equals('Ann')).items.length,
        (await real.search('USER.name').count({ equals: 'Ann' })).count,
        (await real.search('USER.name').count({})).count,
        (await real.shards('USER.name')).items,
        (await real.search('USER.tags').all()).items.length,
        (await real.search('USER.tags').count({})).count,
        (await real.inbound('TEAM-1', 'JOINED')).items.length,
        (await real.inbound('TEAM-1', 'JOINED', { order: 'gsi1', reverse: true, includeTarget: true })).items.length,
        (await real.inbound('TEAM-1', 'JOINED', { order: 'byName' })).items.length,
        (await real.inDegree('TEAM-1', 'JOINED')).count,
        (await real.inDegree('TEAM-1', 'JOINED', { order: 'gsi1' })).count,
        (await real.inDegree('TEAM-1', 'JOINED', { order: 'byName', equals: 'Ann' })).count,
        (await real.page('TEAM-1', 'JOINED')).items.length,
        (await real.inbound('TEAM-1', 'LIKES')).items.length,
      ];
      const truth = await answers();
      expect(truth).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
      const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
      const live = items.filter((item) => item['gsi0pk'] !== undefined);
      expect(live.length).toBeGreaterThan(7);
      // Each copy under names that the model has not, in a partition of the writer's own, and beside the sort key that belongs there.
      const hash = '0123456789abcdef0123456789abcdef';
      const forged = live.flatMap((item, i) =>
        ['~ix/x', `~ix/x${i}`, `~ix/@7/name`, `~ix/@9/#${hash}`, '~ix/#byGhost/JOINED-TEAM-1', '~degree/GHOST'].map(
          (target, j): Item => {
            const source = `${j === 0 ? 'USER' : 'SPY'}-${1 + i}${j}`;
            const sort = (text: string | undefined) => ({ S: `${text?.split('\u0000')[0]}\u0000${source}` });
            return {
              ...item,
              ...{ source: { S: source }, target: { S: target } },
              gsi0sk: sort(stringOf(item['gsi0sk'])),
              ...(item['gsi1sk'] !== undefined && { gsi1sk: sort(stringOf(item['gsi1sk'])) }),
            };
          },
        ),
      );
      for (const item of forged) await store.put(item);
      expect(await answers()).toEqual(truth);
      const { items: names, target: owner } = await real.inbound('TEAM-1', 'JOINED', {
        reverse: true,
        includeTarget: true,
      });
      expect([names.map(({ source }) => source), owner?.id]).toEqual([['USER-1'], 'TEAM-1']);
      const run = (options: Partial<CheckOptions> = {}) =>
        check(graph, { store, graceMs: 10, segments: 2, ...options });
      const found = await run();
      expect(found.drift).toMatchObject({ missing: 0, stale: 0, orphan: forged.length });
      expect(found.unregistered).toBe(0);
      expect(await run({ mode: 'repair' })).toMatchObject({ repaired: forged.length });
      expect(await run()).toMatchObject(CLEAN);
      const left = await itemsWith({ store }, (_key, item) => item['gsi0pk'] !== undefined);
      expect(left).toHaveLength(live.length);
    },
  );
});

/** Live items of a table by their sort keys. */
async function itemsWith(
  { store }: Pick<Awaited<ReturnType<typeof evolvingTable>>, 'store'>,
  isWanted: (sortKey: string, item: Item) => boolean,
): Promise<Item[]> {
  const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
  return items.filter((item) => item['expiresAt'] === undefined && isWanted(stringOf(item['target'])!, item));
}
