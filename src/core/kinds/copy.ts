import {
  attributeOf,
  canonicalText,
  type Item,
  MalformedValueError,
  sameValue,
  setOwn,
  stringOf,
  withBinaryAsBytes,
} from '../items/attribute-value.ts';
import { COPIES, revisionOf } from '../items/derived-item.ts';
import { decodeElement, edgeKeyOfElement, escapedEdge } from '../items/element.ts';
import { isWithinBytes, parseNodeId, SORT_KEY_BYTES, typePrefix } from '../items/keys.ts';
import { elementsByEdge } from '../items/stored-view.ts';
import { nodePrefix } from '../model/base-item.ts';
import type { CompiledModel, EdgeModel } from '../model/compiled.ts';
import { ENDS, endOf } from '../model/ends.ts';
import { isNodeThere } from '../model/gone.ts';
import { FanOutPlaces } from '../model/projection/places.ts';
import { fanOutPlace, willFanOutVisit } from './continuation.ts';
import { hashOfText, imageText, type Part, type PartKind } from './part.ts';

/**
 * Copies of a target node's attributes in the views of its edges' sources, one for each edge. The view says which edges it lists. The
 * target is called the parent here, a source a child: one parent has many children, in other partitions, and a change of the parent has to
 * reach all of them.
 *
 * An index cannot find the children: it is eventually consistent, and an edge that it does not show yet would keep the old copy for
 * good. So each edge has a reverse item in the parent's partition, which a consistent Query finds.
 */

/** One copy in a view. The edge, its target node, and a fan-out under way decide about it. */
export const copy: PartKind<Extract<Part, { kind: 'copy' }>> = {
  isContent: true,
  decidingKeys({ graph }, { source, part }) {
    const parent = copiedNode(graph, part.target);
    if (parent === undefined) return [];
    return [
      { source, target: part.target },
      { source: parent, target: parent },
      { source: parent, target: fanOutAlong(part.target).continuation('copies') },
    ];
  },
  compare({ graph }, { suspect: { part }, derived, items }) {
    const parent = isEdgeListed(derived, part.target) ? items[1] : undefined;
    return {
      expected: expectedCopyText(graph, part.target, parent) ?? null,
      stored: storedCopyText(derived, part.target) ?? null,
    };
  },
  state({ suspect: { source, part }, derived, items: [edge, parent, continuation] }) {
    // A fan-out visits the reverse items in order of their keys. If it is past this edge, it has written the view already, which
    // changed the view's revision, and it repairs nothing here any more.
    const isAhead = willFanOutVisit(continuation, fanOutAlong(part.target).reverseKey(source));
    const moved = (isAhead && revisionOf(continuation)) || '';
    return {
      revision: `${revisionOf(derived) ?? ''}/${moved}`,
      base: hashOfText([edge, parent].map(imageText).join('\0') + moved),
      fanOut: isAhead ? fanOutPlace(continuation) : undefined,
    };
  },
  // A copy without an edge goes away with any write of the view.
  repairInView({ targets }, graph, { part }) {
    if (copiedNode(graph, part.target) !== undefined) targets.add(part.target);
  },
};

function isEdgeListed(view: Item | undefined, edge: string): boolean {
  return elementsByEdge(view).has(escapedEdge(edge));
}

/** One place for a copy in a view: a copy is there, or expected, or both. */
export interface CopySlot {
  /** The edge's sort key; if no edge is listed, the attribute name of the copy. */
  edge: string;
  /** The node to copy; undefined if no copy is expected. */
  parent: string | undefined;
  /** A hash of the actual copy; undefined if there is none. */
  stored: string | undefined;
}

/** The name for an attribute of copies that is not a map. No edge has this name. */
export const NO_COPIES = '';

/** Tells whether any edge type of the model copies anything. */
export function hasCopies(model: CompiledModel): boolean {
  for (const { copy } of model.edges.values()) if (copy !== undefined) return true;
  return false;
}

/**
 * Returns the node that an edge copies from, by the edge's sort key; undefined if it copies nothing, or if such a node cannot
 * exist.
 */
export function copiedNode(graph: CompiledModel, edge: string): string | undefined {
  if (copyingEdge(graph, edge) === undefined || !isWithinBytes(edge, SORT_KEY_BYTES)) return undefined;
  const parent = parentOf(edge);
  return parseNodeId(parent) === undefined ? undefined : parent;
}

/**
 * Returns a slot for each copy that a view holds or is to hold: one for each listed edge whose type copies, and one for each other copy
 * that the view holds. Empty if there are none.
 */
export function copySlots(graph: CompiledModel, view: Item | undefined): CopySlot[] {
  const stored = storedCopies(view);
  const slots: CopySlot[] = [];
  for (const [escaped, elements] of elementsByEdge(view)) {
    const edge = decodeElement(elements[0]!) && edgeKeyOfElement(elements[0]!);
    const parent = edge === undefined || escapedEdge(edge) !== escaped ? undefined : copiedNode(graph, edge);
    if (edge === undefined || parent === undefined) continue;
    slots.push({ edge, parent, stored: copyHash(stored.get(edge)) });
    stored.delete(edge);
  }
  for (const [edge, copy] of stored) slots.push({ edge, parent: undefined, stored: copyHash(copy) });
  return slots;
}

/** One actual copy of a view, as a text; undefined if there is none of that name. */
export function storedCopyText(view: Item | undefined, edge: string): string | undefined {
  const copy = storedCopies(view).get(edge);
  return copy && canonicalText(copy);
}

/** The expected copy of a node for an edge that the view lists, as a text; undefined if there is no such node. */
export function expectedCopyText(graph: CompiledModel, edge: string, node: Item | undefined): string | undefined {
  const model = copyingEdge(graph, edge);
  const copy = model && copyOf(graph, model, node);
  return copy && canonicalText({ M: copy });
}

/** Tells whether an actual copy equals what its node asks for. */
export function isSlotRight(graph: CompiledModel, { edge, stored }: CopySlot, node: Item | undefined): boolean {
  const expected = expectedCopyText(graph, edge, node);
  return stored === (expected && hashOfText(expected));
}

/** Every actual copy. An attribute of copies that is no map counts as one copy, so that it is found wrong. */
function storedCopies(view: Item | undefined): Map<string, Item[string]> {
  const stored = view?.[COPIES];
  if (stored === undefined) return new Map();
  const isMap = 'M' in stored && Object.keys(stored.M).length > 0;
  return new Map(isMap ? Object.entries(stored.M) : [[NO_COPIES, stored]]);
}

/** Many places wait for their nodes at once. A hash takes the same memory for a copy of any size. */
function copyHash(copy: Item[string] | undefined): string | undefined {
  return copy && hashOfText(canonicalText(copy));
}

/** The places of the fan-outs along the type of an edge. */
function fanOutAlong(edgeKey: string): FanOutPlaces {
  return new FanOutPlaces(typePrefix(edgeKey) ?? '');
}

/** The model of an edge's type, by the edge's sort key, if it copies attributes of the parent; else undefined. */
export function copyingEdge(model: CompiledModel, sortKey: string): EdgeModel | undefined {
  const edge = model.edges.get(typePrefix(sortKey) ?? '');
  return edge?.copy === undefined ? undefined : edge;
}

/** The edge types that copy attributes of nodes with the type of this id. */
export function copyingTypes(model: CompiledModel, parent: string): EdgeModel[] {
  const type = parseNodeId(parent)?.type ?? '';
  return [...model.edges.values()].filter((edge) => edge.copy !== undefined && edge.to.has(type));
}

/** The node that an edge enters, by the edge's sort key. */
export function parentOf(sortKey: string): string {
  return sortKey.slice(sortKey.indexOf('-') + 1);
}

/** The copy that an edge type takes of a node; undefined if the node does not exist. Malformed attributes are left out. */
export function copyOf(graph: CompiledModel, edge: EdgeModel, node: Item | undefined): Item | undefined {
  const { table } = graph;
  // rule: soft-deleted-node-is-not-copied
  if (node === undefined || !isNodeThere(graph, stringOf(node[table.partitionKey]) ?? '', node)) return undefined;
  const copy: Item = {};
  for (const name of edge.copy ?? []) {
    const isOwn = name === table.partitionKey || name === table.sortKey || name === ENDS;
    const value = isOwn ? undefined : attributeOf(node, name);
    if (value === undefined) continue;
    try {
      setOwn(copy, name, withBinaryAsBytes(value));
    } catch (error) {
      if (!(error instanceof MalformedValueError)) throw error;
    }
  }
  const end = endOf(graph.nodes.get(nodePrefix(stringOf(node[table.partitionKey]) ?? '')), node);
  if (end !== undefined) copy[ENDS] = end;
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
