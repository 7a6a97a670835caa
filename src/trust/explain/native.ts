import { type AttributeValue, attributeOf, type Item, typeOf } from '../../core/items/attribute-value.ts';
import { describe } from '../../core/items/describe.ts';
import { typeName } from '../../core/items/encoding.ts';
import { classifyKey } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { indexOfOrder, indexOfSearch, type NativeIndex } from '../../core/model/native.ts';
import { lineOfSearch } from '../../core/model/options/option-tables.ts';
import type { ItemKey } from '../../core/store-port.ts';
import type { ExplainedPart } from './base-item.ts';

/** The native orders and searches that a base item may be in: DynamoDB keeps them, so that no derived item is compared. */

/** Explains the places of a base item in native lists; `gone`: the reason why it counts as deleted, where it does. */
export function explainNative(
  graph: CompiledModel,
  key: ItemKey,
  item: Item,
  gone: string | undefined,
): ExplainedPart[] {
  return nativePlaces(graph, key).map(({ name, index }) => {
    const value = attributeOf(item, index.attribute);
    const isIn = value !== undefined && fits(index, value);
    const kept = `The index ${index.name}, kept by DynamoDB,`;
    const place = { ...key, name };
    if (isIn && gone === undefined)
      return { ...place, state: 'right', reason: `${kept} has it at ${index.attribute} ${textOf(value)}.` };
    const why =
      value === undefined
        ? `${kept} leaves it out: it has no value for ${index.attribute}.`
        : isIn
          ? `${gone}: readers leave it out of the index ${index.name}, kept by DynamoDB.`
          : `${kept} leaves it out: ${index.attribute} ${misfitText(index, value)}.`;
    return { ...place, state: 'absent', reason: why };
  });
}

interface NativePlace {
  /** The line of the model. */
  name: string;
  index: NativeIndex;
}

/** The native orders of an edge, or the native searches of a node. */
function nativePlaces(graph: CompiledModel, { source, target }: ItemKey): NativePlace[] {
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

/** Tells whether an index takes a value. DynamoDB refuses another one, but an item may be older than the index. */
function fits({ type }: NativeIndex, value: AttributeValue): boolean {
  const text = Object(value)[type] as string | undefined;
  return text !== undefined && text !== '';
}

/** Why an index does not take a value: `is a number (20260102), and the index takes strings`. */
function misfitText({ type }: NativeIndex, value: AttributeValue): string {
  if ('S' in value && value.S === '') return 'is an empty string, which no index takes';
  const shown = 'S' in value || 'N' in value ? ` (${textOf(value)})` : '';
  return `is ${typeName(typeOf(value))}${shown}, and the index takes ${type === 'N' ? 'numbers' : 'strings'}`;
}

function textOf(value: AttributeValue): string {
  return 'N' in value ? value.N : describe(Object.values(Object(value))[0]);
}
