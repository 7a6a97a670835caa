import { type Item, stringOf } from '../../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import { derivedInstead } from '../../../core/model/native-indexes.ts';
import { derivedOf } from '../../../core/plan/derive.ts';

/** Returns, by sort key, the index items that the projector would derive from a row if its index weren't native. */
export function nativeItemsOf(graph: CompiledModel, base: Item): ReadonlyMap<string, Item> {
  const { partitionKey, sortKey } = graph.table;
  const source = stringOf(base[partitionKey]) ?? '';
  const { indexItems } = derivedOf(derivedInstead(graph), source, stringOf(base[sortKey]) ?? '', base);
  return new Map(
    [...indexItems].map(([itemKey, fields]): [string, Item] => [
      itemKey,
      { ...fields, [partitionKey]: { S: source }, [sortKey]: { S: itemKey } },
    ]),
  );
}
