import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { sourceTable } from '../../src/sources/source.ts';
import { Random } from '../simulator/kernel/random.ts';
import { MAPPED_TABLES } from '../support/foreign-tables/all.ts';
import { mappedItems } from '../support/mapped-items.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

const SEED = 48;

describe.each(MAPPED_TABLES)('a table of $name', ({ keys, graph, layout, items, reasons, questions }) => {
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
    const { graph: model, store, reader, projectAll } = await openTable(graph(uniqueTableName()));
    const of = sourceTable('app-table', { map: layout, keys });
    for (const item of all)
      for (const base of mappedItems(model, of, marshall(item) as Item).values()) await store.put(base);
    await projectAll();
    const asked = questions(all);
    // Most of them find something.
    expect(asked.filter(({ old }) => JSON.stringify(old) !== '[]').length).toBeGreaterThan(asked.length / 2);
    for (const { text, old, ours } of asked) expect(await ours(reader), text).toEqual(old);
  });
});
