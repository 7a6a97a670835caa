import { type Item, stringOf } from '../items/attribute-value.ts';
import { CHILD } from '../items/derived-item.ts';
import { parseDerivedKey } from '../items/derived-key.ts';
import { edgeSortKey, isWithinBytes, SORT_KEY_BYTES } from '../items/keys.ts';
import { classifyKey } from '../model/base-item.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { FanOutPlaces } from '../model/projection/places.ts';
import type { ItemKey } from '../store-port.ts';
import { copyingViewsOf } from './continuation.ts';
import type { InTarget } from './derived.ts';
import { WITH_BASE } from './index-item.ts';
import { type KindOfTarget, origin } from './kind.ts';

/**
 * Lets a node find an edge that copies its attributes. The item is in the node's partition, the edge in its source's.
 */
export const reverseItem: KindOfTarget<'reverse-item'> = {
  ...WITH_BASE,
  name: 'reverse-item',
  lineOf: ({ type }) => `edges.${type}.copy (reverse item)`,
  isAskedBy: ({ copy }) => copy !== undefined,
  keyOf: ({ type }, child) => new FanOutPlaces(type).reverseKey(child),
  fieldsOf: (_edge, child) => ({ [CHILD]: { S: child } }),
  edgeOf: (_graph, key, item) => possibleEdgeOfReverse(key, item),
  lifetime: { of: 'need', neededBy: copyingViewsOf },
  decidedBy: 'edge-elsewhere',
  isKept: ({ edges }, { edgeType }, sortKey) =>
    edges.get(edgeType)?.copy !== undefined && sortKey.startsWith(new FanOutPlaces(edgeType).reversePrefix),
  addTo: undefined,
  originsOf: (_graph, { source }, { edgeType }) => [
    origin({ source, target: source }, `edges.${edgeType}.copy`, 'The node whose attributes are copied.'),
  ],
};

export function possibleEdgeOfReverse(key: ItemKey, item: Item | undefined): ItemKey | undefined {
  const edge = edgeOfReverse(key, item);
  const isPossible = edge !== undefined && edge.source !== '' && isWithinBytes(edge.target, SORT_KEY_BYTES);
  return isPossible ? edge : undefined;
}

export function reverseItemOf(graph: CompiledModel, { source, target }: ItemKey): InTarget | undefined {
  const kind = classifyKey(graph, source, target);
  if (kind.kind !== 'edge' || kind.edge.copy === undefined) return undefined;
  const key = { source: kind.target, target: new FanOutPlaces(kind.edge.type).reverseKey(source) };
  return { key, fields: { [CHILD]: { S: source } } };
}

/** Also returns an edge that can't exist; undefined if neither the key nor the content names an edge. */
export function edgeOfReverse({ source, target }: ItemKey, item: Item | undefined): ItemKey | undefined {
  const key = parseDerivedKey(target);
  if (key?.kind !== 'reverse-item') return undefined;
  const type = key.edgeType;
  const child = key.source.hash === undefined ? key.source.text : stringOf(item?.[CHILD]);
  if (child === undefined || new FanOutPlaces(type).reverseKey(child) !== target) return undefined;
  return { source: child, target: edgeSortKey(type, source) };
}

export function isReverseKey(sortKey: string): boolean {
  return parseDerivedKey(sortKey)?.kind === 'reverse-item';
}
