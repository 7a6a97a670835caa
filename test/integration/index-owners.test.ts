import { expect, it } from 'vitest';
import { stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import type { ScanSource } from '../../src/core/store-port.ts';
import { checkTools } from '../support/checked-table.ts';
import { evolvingTable } from '../support/migrating-table.ts';

const CLEAN = { drift: { missing: 0, stale: 0, orphan: 0 }, unregistered: 0, pending: 0 };

/** The sources of the live items of a list, by their sort key. */
async function listedUnder(store: ScanSource, key: string): Promise<(string | undefined)[]> {
  const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
  const live = items.filter((item) => item['expiresAt'] === undefined && stringOf(item['target']) === key);
  return live.map(({ source }) => stringOf(source)).sort();
}

it('the list of a node type has no strays after the first migrate of a table that was projected before, nor in a later generation', async () => {
  const { listed, plain, migrate, projectAll, store } = await evolvingTable((of) => ({
    plain: defineGraph({ table: of, nodes: { A: node({ view: 'ALL', search: { name: { shards: 1 } } }) } }),
    listed: defineGraph({
      table: of,
      nodes: { A: node({ view: 'ALL', list: true, search: { name: { shards: 1 } } }) },
    }),
  }));
  const { run } = checkTools(listed, store);
  for (const id of ['A-0', 'A-1', 'A-2']) await store.put({ source: { S: id }, target: { S: id } });
  await projectAll();
  const stray = {
    ...{ source: { S: 'A-gone' }, target: { S: '~ix/' }, gsi0pk: { S: 'A.#1' }, gsi0sk: { S: '\u0000A-gone' } },
    r: { N: '1' },
  };
  await store.put(stray);
  await migrate(listed, { random: () => 0 });
  expect(await listedUnder(store, '~ix/')).toEqual(['A-0', 'A-1', 'A-2']);
  expect(await run()).toMatchObject(CLEAN);
  await migrate(plain, { action: { kind: 'drop', name: 'list:A' } });
  await migrate(listed);
  expect(await listedUnder(store, '~ix/')).toEqual([]);
  expect(await listedUnder(store, '~ix/@2/')).toEqual(['A-0', 'A-1', 'A-2']);
  await store.put({ ...stray, target: { S: '~ix/@2/' } });
  expect(await run({ mode: 'repair' })).toMatchObject({ drift: { orphan: 1 }, repaired: 1 });
  expect(await run()).toMatchObject(CLEAN);
});
