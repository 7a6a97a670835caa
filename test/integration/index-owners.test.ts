import { describe, expect, it } from 'vitest';
import { type CheckOptions, check } from '../../src/admin.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { node } from '../../src/core/model/schema.ts';
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

/** Live items of a table by their sort keys. */
async function itemsWith(
  { store }: Pick<Awaited<ReturnType<typeof evolvingTable>>, 'store'>,
  isWanted: (sortKey: string, item: Item) => boolean,
): Promise<Item[]> {
  const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
  return items.filter((item) => item['expiresAt'] === undefined && isWanted(stringOf(item['target'])!, item));
}
