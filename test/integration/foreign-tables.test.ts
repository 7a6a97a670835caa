import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { mapped } from '../../src/mirror/mapped.ts';
import { sourceTable } from '../../src/mirror/source.ts';
import { Random } from '../simulator/kernel/random.ts';
import { electroDB } from '../support/foreign-tables/electrodb.ts';
import type { ForeignTable } from '../support/foreign-tables/fixture.ts';
import {
  adjacencyList,
  eventStore,
  invertedIndex,
  multiTenant,
  overloadedIndex,
} from '../support/foreign-tables/hand-made.ts';
import { oneTable } from '../support/foreign-tables/onetable.ts';
import { toolbox } from '../support/foreign-tables/toolbox.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** Tables of other applications, by the ways in which such tables are usually laid out. */
const TABLES: readonly ForeignTable[] = [
  ...[electroDB, oneTable, toolbox],
  ...[overloadedIndex, invertedIndex, adjacencyList, eventStore, multiTenant],
];
const SEED = 48;

describe.each(TABLES)('a table of $name', ({ keys, graph, layout, items, reasons, questions }) => {
  const all = items(new Random(SEED));

  it('has each item placed, or named as not of the graph', () => {
    const found = new Set<string>();
    for (const item of all) {
      const reason = layout.unplaced(item);
      expect(layout(item).length > 0, JSON.stringify(item)).toBe(reason === undefined);
      if (reason !== undefined) found.add(reason);
    }
    expect([...found].sort()).toEqual([...reasons].sort());
  });

  it('is answered beside as in itself', async () => {
    const { graph: model, store, projectAll } = await testTable(graph(uniqueTableName()));
    const of = sourceTable('app-table', { map: layout, keys });
    for (const item of all)
      for (const base of mapped(model, of, marshall(item) as Item).values()) await store.put(base);
    await projectAll();
    const reader = createReader(model, { store });
    const asked = questions(all);
    // Most of them find something.
    expect(asked.filter(({ old }) => JSON.stringify(old) !== '[]').length).toBeGreaterThan(asked.length / 2);
    for (const { text, old, ours } of asked) expect(await ours(reader), text).toEqual(old);
  });
});
