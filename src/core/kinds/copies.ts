import {
  attributeOf,
  type Item,
  MalformedValueError,
  sameValue,
  setOwn,
  stringOf,
  withBinaryAsBytes,
} from '../items/attribute-value.ts';
import { CHILD, COPIES } from '../items/derived-item.ts';
import { parseDerivedKey } from '../items/derived-key.ts';
import { escapedEdge } from '../items/element.ts';
import { edgeSortKey, parseNodeId, typePrefix } from '../items/keys.ts';
import { classifyKey } from '../model/base-item.ts';
import type { CompiledModel, EdgeModel } from '../model/compiled.ts';
import { FanOutPlaces } from '../model/projection/places.ts';
import type { ItemKey } from '../store-port.ts';
import type { AskedInTarget } from './asked-in-target.ts';
import type { InTarget } from './derived.ts';

/**
 * Copies of a target node's attributes in the views of its edges' sources. The target is called the parent here, a source a child:
 * one parent has many children, and a change of the parent has to reach all of them.
 *
 * An index cannot find the children: it is eventually consistent, and an edge that it does not show yet would keep the old copy for
 * good. So each edge has a reverse item in the parent's partition, which a consistent Query finds.
 */

/** The reverse items of edges that copy. */
export const reverseItems: AskedInTarget = {
  isAskedBy: ({ copy }) => copy !== undefined,
  keyOf: ({ type }, child) => new FanOutPlaces(type).reverseKey(child),
  fieldsOf: (_edge, child) => ({ [CHILD]: { S: child } }),
};

/** The reverse item that a base item asks for as long as it exists; undefined if it is no edge that copies. */
export function reverseItemOf(graph: CompiledModel, { source, target }: ItemKey): InTarget | undefined {
  const kind = classifyKey(graph, source, target);
  if (kind.kind !== 'edge' || kind.edge.copy === undefined) return undefined;
  const key = { source: kind.target, target: new FanOutPlaces(kind.edge.type).reverseKey(source) };
  return { key, fields: { [CHILD]: { S: source } } };
}

/** The key of the reverse item that belongs to a base item, expected or not; undefined if there can be none. */
export function reverseItemKeyOf(graph: CompiledModel, base: ItemKey): InTarget['key'] | undefined {
  return reverseItemOf(graph, base)?.key;
}

/** The edge that a reverse item belongs to, by its key, or by its content if the key is hashed; undefined: unknown. */
export function edgeOfReverse({ source, target }: ItemKey, item: Item | undefined): ItemKey | undefined {
  const key = parseDerivedKey(target);
  if (key?.kind !== 'reverse-item') return undefined;
  const type = key.edgeType;
  const child = key.source.hash === undefined ? key.source.text : stringOf(item?.[CHILD]);
  if (child === undefined || new FanOutPlaces(type).reverseKey(child) !== target) return undefined;
  return { source: child, target: edgeSortKey(type, source) };
}

/** Whether a derived item is a reverse item, by its sort key. */
export function isReverseKey(sortKey: string): boolean {
  return parseDerivedKey(sortKey)?.kind === 'reverse-item';
}

/** The model of an edge's type, by the edge's sort key, if it copies attributes of the parent; else undefined. */
export function copyingEdge({ edges }: CompiledModel, sortKey: string): EdgeModel | undefined {
  const edge = edges.get(typePrefix(sortKey) ?? '');
  return edge?.copy === undefined ? undefined : edge;
}

/** The edge types that copy attributes of nodes with the type of this id. */
export function copyingTypes({ edges }: CompiledModel, parent: string): EdgeModel[] {
  const type = parseNodeId(parent)?.type ?? '';
  return [...edges.values()].filter((edge) => edge.copy !== undefined && edge.to.has(type));
}

/** Returns the stamps of the views that copy along an edge type. */
export function copyingViewsOf({ edges, shapes }: CompiledModel, edgeType: string): string[] {
  const edge = edges.get(edgeType);
  return edge?.copy === undefined ? [] : [...edge.from].map((type) => shapes?.get(type)?.stamp ?? type);
}

/** The node that an edge enters, by the edge's sort key. */
export function parentOf(sortKey: string): string {
  return sortKey.slice(sortKey.indexOf('-') + 1);
}

/** The copy that an edge type takes of a node; undefined if the node does not exist. Malformed attributes are left out. */
export function copyOf({ table }: CompiledModel, edge: EdgeModel, node: Item | undefined): Item | undefined {
  if (node === undefined) return undefined;
  const copy: Item = {};
  for (const name of edge.copy ?? []) {
    const value = name === table.partitionKey || name === table.sortKey ? undefined : attributeOf(node, name);
    if (value === undefined) continue;
    try {
      setOwn(copy, name, withBinaryAsBytes(value));
    } catch (error) {
      if (!(error instanceof MalformedValueError)) throw error;
    }
  }
  return copy;
}

/** The copies that edges take of their parents, by the edges' sort keys, from consistent reads; undefined: there is no parent. */
export type ParentCopies = ReadonlyMap<string, Item | undefined>;

/** Returns the copies of edges that have an element: a copy exists only together with its element. */
export function copiesWithElement(
  graph: CompiledModel,
  elements: ReadonlyMap<string, readonly string[]>,
  copies: ParentCopies,
): Map<string, Item> {
  const kept = new Map<string, Item>();
  for (const [edge, copy] of copies) {
    const hasElement = (elements.get(escapedEdge(edge)) ?? []).length > 0;
    // rule: copy-goes-with-its-element
    if (copy !== undefined && hasElement && copyingEdge(graph, edge) !== undefined) kept.set(edge, copy);
  }
  return kept;
}

/**
 * Returns the field with all copies, if it changes. They are written as a whole: one by one they could exceed an update's
 * expression, which takes 300 operands, and a map within the view must exist before a part of it can be set.
 */
export function copiesField(
  view: Item | undefined,
  copies: ReadonlyMap<string, Item>,
): Record<string, Item[string] | undefined> {
  const expected: Item = {};
  for (const [edge, copy] of copies) setOwn<Item[string]>(expected, edge, { M: copy });
  const stored = view?.[COPIES];
  if (copies.size === 0) return stored === undefined ? {} : { [COPIES]: undefined };
  return sameValue(stored, { M: expected }) ? {} : { [COPIES]: { M: expected } };
}
