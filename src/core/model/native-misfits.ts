import { type AttributeValue, attributeOf, type Item, numberOf, stringOf, typeOf } from '../items/attribute-value.ts';
import { typeName } from '../items/encoding.ts';
import { type ItemKey, isWithinBytes, PARTITION_KEY_BYTES, SORT_KEY_BYTES } from '../items/keys.ts';
import { classifyBaseItem, classifyKey } from './base-item.ts';
import type { CompiledModel } from './compiled.ts';
import { isGone } from './gone.ts';
import { indexOfOrder, indexOfSearch, type NativeIndex, nativeIndexes } from './native-indexes.ts';
import { lineOfSearch } from './options/option-tables.ts';

/**
 * DynamoDB refuses to write a value that can't be an index key. But when it builds an index, it silently leaves out
 * existing items with such values.
 */

export function nativePlaces(
  graph: CompiledModel,
  { source, target }: ItemKey,
): { name: string; index: NativeIndex }[] {
  const kind = classifyKey(graph, source, target);
  if (kind.kind === 'node') {
    const searches = [...kind.node.searches.values()].filter(({ native }) => native);
    return searches.map((search) => ({ name: lineOfSearch(search), index: indexOfSearch(graph, search) }));
  }
  if (kind.kind !== 'edge' && kind.kind !== 'hashed') return [];
  const { type, inbound } = kind.edge;
  if (inbound?.native !== true) return [];
  return [...inbound.orders.values()].map((order) => ({
    name: `edges.${type}.inbound.orders.${order.name}`,
    index: indexOfOrder(graph, order),
  }));
}

export function faultOfNativeKey(
  { type, sort, attribute }: NativeIndex,
  value: AttributeValue,
): { expected: string; found: string } | undefined {
  const text = stringOf(value);
  const limit = sort === attribute ? SORT_KEY_BYTES : PARTITION_KEY_BYTES;
  if (type === 'N' ? numberOf(value) !== undefined : text && isWithinBytes(text, limit)) return undefined;
  const isText = type === 'S' && text !== undefined;
  return {
    expected: type === 'N' ? 'numbers' : `texts of 1 to ${limit} bytes`,
    found: isText ? `has ${Buffer.byteLength(text)} bytes` : `is ${typeName(typeOf(value))}`,
  };
}

export function nativeMisfits(graph: CompiledModel, key: ItemKey, item: Item): { name: string; reason: string }[] {
  if (nativeIndexes(graph).length === 0) return [];
  const kind = classifyBaseItem(graph, key.source, key.target, item);
  // Readers hide soft-deleted items, so these items don't have to be in an index.
  const of = kind.kind === 'node' ? kind.node : kind.kind === 'edge' ? kind.edge : undefined;
  if (of === undefined || isGone(of, item)) return [];
  return nativePlaces(graph, key).flatMap(({ name, index }) => {
    const value = attributeOf(item, index.attribute);
    const fault = value && faultOfNativeKey(index, value);
    if (fault === undefined) return [];
    const { attribute } = index;
    return [{ name, reason: `${attribute} ${fault.found}, and the index ${index.name} takes only ${fault.expected}` }];
  });
}

/** Items that are missing from a native order or search. */
export interface NativeGap {
  name: string;
  items: number;
  example: { source: string; target: string; reason: string };
  /** The items, at most 10,000. */
  known: { source: string; target: string; reason: string }[];
}

const MOST_KNOWN = 10_000;

export class NativeGaps {
  private readonly byName = new Map<string, NativeGap>();

  constructor(private readonly graph: CompiledModel) {}

  addItem({ source, target }: ItemKey, item: Item): void {
    for (const { name, reason } of nativeMisfits(this.graph, { source, target }, item)) {
      const example = { source, target, reason };
      const gap = this.byName.get(name) ?? { name, items: 0, example, known: [] };
      this.byName.set(name, gap);
      gap.items += 1;
      if (gap.known.length < MOST_KNOWN) gap.known.push(example);
    }
  }

  get gaps(): NativeGap[] {
    return [...this.byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  }
}
