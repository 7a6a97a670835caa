import type { Item } from '../../src/core/items/attribute-value.ts';
import { toPlainItem } from '../../src/core/items/plain.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { mapped } from '../../src/sources/mapped.ts';
import type { Source } from '../../src/sources/source.ts';

/** The base items that an item of a source table in wire form makes, by the texts of their keys. */
export function mappedItems(graph: CompiledModel, source: Source, image: Item): Map<string, Item> {
  const { partitionKey, sortKey } = graph.table;
  const made = mapped(graph, source, 'key', toPlainItem(image));
  return new Map(
    [...made].map(([text, content]) => {
      const [from, to] = JSON.parse(text) as [string, string];
      return [text, { [partitionKey]: { S: from }, [sortKey]: { S: to }, ...content }];
    }),
  );
}
