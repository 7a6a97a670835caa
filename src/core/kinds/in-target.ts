import type { Item } from '../items/attribute-value.ts';
import { type KindInTarget, parseDerivedKey } from '../items/derived-key.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ItemKey } from '../store-port.ts';
import { expectedFields } from './derived.ts';
import { indexItemText } from './index-item.ts';
import type { KindOfTarget } from './kind.ts';
import type { Part, PartKind } from './part.ts';
import { reverseItem } from './reverse-item.ts';
import { totalEntry } from './total-entry.ts';

/** The kinds of items that edges have in the partitions of their targets; `core/kinds/in-targets.ts` has their other half, for the planner. */
export const KINDS_OF_TARGETS: { readonly [Kind in KindInTarget]: KindOfTarget<Kind> } = {
  'reverse-item': reverseItem,
  'total-entry': totalEntry,
};

/** The fields of such an item. Its edge decides about them. */
export const inTargetPart: PartKind<Extract<Part, { kind: 'reverse-item' }>> = {
  isContent: true,
  decidingKeys({ graph }, { source, sortKey, part }, derived) {
    const edge = part.base ?? edgeNamedInTarget(graph, { source, target: sortKey }, derived);
    return edge === undefined ? [] : [edge];
  },
  compare({ graph, derivedOf }, { suspect: { sortKey }, derived, keys, items }) {
    const expected = keys[0] && expectedFields(derivedOf(graph, keys[0].source, keys[0].target, items[0]), sortKey);
    return { wanted: indexItemText(expected) ?? null, stored: indexItemText(derived) ?? null };
  },
};

/** The edge that a suspect part names; undefined for a part of another kind, and if the edge is not known. */
export function edgeOfPart(part: Part): ItemKey | undefined {
  return part.kind === 'reverse-item' ? part.base : undefined;
}

/** Returns the kind of an item in the partition of an edge's target, by its sort key; undefined for any other key. */
export function kindOfTarget(sortKey: string): KindOfTarget | undefined {
  const key = parseDerivedKey(sortKey);
  return key !== undefined && 'source' in key ? (KINDS_OF_TARGETS[key.kind] as KindOfTarget) : undefined;
}

/**
 * Returns the key of the edge that an item in the partition of the edge's target names. The edge is in the partition of its source.
 * Undefined if no such edge can exist.
 */
export function edgeNamedInTarget(graph: CompiledModel, key: ItemKey, item: Item | undefined): ItemKey | undefined {
  return kindOfTarget(key.target)?.edgeOf(graph, key, item);
}
