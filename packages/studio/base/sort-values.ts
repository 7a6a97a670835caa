import { valuesOfOrder } from '../../../src/client/read/lists/kept-values.ts';
import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import { PLAIN_DATE } from '../../../src/core/items/dates.ts';
import { INDEX_KEYS } from '../../../src/core/items/derived-item.ts';
import { encodedValueOf, segmentsOf } from '../../../src/core/items/encoding.ts';
import { toPlainItem } from '../../../src/core/items/plain.ts';
import type { CompiledModel, InboundOrder, OrderPart } from '../../../src/core/model/compiled.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';

export interface SortValue {
  name: string;
  value: unknown;
  /** True for an attribute of the edge's source. */
  isOfSource: boolean;
}

const MIDNIGHT = 'T00:00:00';

/** Returns the values that an item is sorted by, except computed ones. */
export function sortValuesOf(graph: CompiledModel, ordered: InboundOrder, item: Item): SortValue[] {
  const { order, index } = ordered;
  const parts = order.kind === 'parts' ? order.parts : [order];
  const key = stringOf(item[INDEX_KEYS[index].sort]);
  const encoded = key && encodedValueOf(key, stringOf(item[graph.table.partitionKey]) ?? '');
  const texts = encoded === undefined ? [] : order.kind === 'parts' ? segmentsOf(encoded) : [encoded];
  // Native lists return base items, which have no index key.
  const held = encoded === undefined ? item : valuesOfOrder(graph, ordered).of(item);
  const values = toPlainItem(held, losslessNumber);
  return parts.flatMap((part, i): SortValue[] => {
    const name = attributeOf(part);
    if (name === undefined) return [];
    return [{ name, value: values[name] ?? dateText(texts[i] ?? ''), isOfSource: part.kind === 'source' }];
  });
}

function attributeOf(part: OrderPart): string | undefined {
  if (part.kind === 'source') return attributeOf(part.order);
  return part.kind === 'derive' ? undefined : part.attribute;
}

function dateText(encoded: string): string {
  const day = encoded.slice(0, -MIDNIGHT.length);
  return encoded.endsWith(MIDNIGHT) && PLAIN_DATE.test(day) ? day : encoded;
}

/** Keeps the items that queries return, because readers don't return index keys. */
export function keepingItems(store: Store, partitionKey: string): { store: Store; found: ReadonlyMap<string, Item> } {
  const found = new Map<string, Item>();
  const keep = <Result extends { items: readonly Item[] }>(result: Result): Result => {
    for (const item of result.items) found.set(stringOf(item[partitionKey]) ?? '', item);
    return result;
  };
  const query: Store['query'] = async (request) => keep(await store.query(request));
  const queryNative: Store['queryNative'] = async (request) => keep(await store.queryNative(request));
  const keeping = Object.create(store, { query: { value: query }, queryNative: { value: queryNative } }) as Store;
  return { store: keeping, found };
}
