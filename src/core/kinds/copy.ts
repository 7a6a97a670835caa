import {
  attributeOf,
  canonicalText,
  type Item,
  MalformedValueError,
  setOwn,
  stringOf,
  withBinaryAsBytes,
} from '../items/attribute-value.ts';
import { COPIES } from '../items/derived-item.ts';
import { escapedEdge } from '../items/element.ts';
import { isWithinBytes, parseNodeId, SORT_KEY_BYTES, typePrefix } from '../items/keys.ts';
import { elementsByEdge } from '../items/stored-view.ts';
import { nodePrefix } from '../model/base-item.ts';
import type { CompiledModel, EdgeModel } from '../model/compiled.ts';
import { ENDS, endOf } from '../model/ends.ts';
import { isNodeThere } from '../model/gone.ts';
import { FanOutPlaces } from '../model/projection/places.ts';
import { type CountingReader, readItems } from '../store-pages.ts';
import type { ItemKey } from '../store-port.ts';
import { fanOutSeen } from './continuation.ts';
import { type DecidedBy, type Difference, digestOfImages, hashOfText } from './difference.ts';
import { edgeOfElements } from './element.ts';

/**
 * A view holds copies of attributes of its edges' targets. Here the target of an edge is called the parent, and the
 * source a child. A change to a parent must reach many children in other partitions.
 *
 * An index can't find the children: it is eventually consistent, so an edge missing from it would keep an old copy
 * forever. Instead, each edge has a reverse item in the parent's partition, which a consistent Query finds.
 */

export function copyDifference(
  graph: CompiledModel,
  { view, elements }: { view: Item | undefined; elements: ReadonlyMap<string, readonly string[]> },
  base: ItemKey,
  decided: DecidedBy,
): Difference[] {
  const { source, target } = base;
  const parent = copiedNode(graph, target);
  if (parent === undefined) return [];
  const node = decided.imageOf({ source: parent, target: parent });
  const isListed = elements.has(escapedEdge(target));
  const expected = (isListed ? expectedCopyText(graph, target, node) : undefined) ?? null;
  const stored = storedCopyText(view, target) ?? null;
  if (expected === stored) return [];
  const places = fanOutAlong(target);
  const continuation = decided.imageOf({ source: parent, target: places.continuation('copies') });
  const digest = digestOfImages([decided.imageOf(base), node]);
  const fanOut = fanOutSeen(continuation, places.reverseKey(source));
  return [{ kind: 'copy', about: target, expected, stored, base: digest, fanOut }];
}

export function keysOfCopy(graph: CompiledModel, edge: string): ItemKey[] {
  const parent = copiedNode(graph, edge);
  if (parent === undefined) return [];
  return [parent, fanOutAlong(edge).continuation('copies')].map((target) => ({ source: parent, target }));
}

/** A copy that is in a view, expected there, or both. */
export interface CopySlot {
  /** The edge's sort key or, if the view doesn't list the edge, the copy's name in `copies`. */
  edge: string;
  /** The node that the edge copies from; undefined if no copy belongs in the view. */
  parent: string | undefined;
  /** A hash of the actual copy; undefined if there is none. */
  stored: string | undefined;
}

/** Stands for a `copies` attribute that is empty or not a map. No edge has this name. */
export const NO_COPIES = '';

export function hasCopies(model: CompiledModel): boolean {
  return [...model.edges.values()].some(({ copy }) => copy !== undefined);
}

function copiedNode(graph: CompiledModel, edge: string): string | undefined {
  if (copyingEdge(graph, edge) === undefined || !isWithinBytes(edge, SORT_KEY_BYTES)) return undefined;
  const parent = parentOf(edge);
  return parseNodeId(parent) === undefined ? undefined : parent;
}

export function copySlots(graph: CompiledModel, view: Item | undefined): CopySlot[] {
  const stored = storedCopies(view);
  const slots: CopySlot[] = [];
  for (const [escaped, elements] of elementsByEdge(view)) {
    const edge = edgeOfElements(escaped, elements);
    const parent = edge && copiedNode(graph, edge);
    if (edge === undefined || parent === undefined) continue;
    slots.push({ edge, parent, stored: copyHash(stored.get(edge)) });
    stored.delete(edge);
  }
  for (const [edge, copy] of stored) slots.push({ edge, parent: undefined, stored: copyHash(copy) });
  return slots;
}

export function storedCopyText(view: Item | undefined, edge: string): string | undefined {
  const copy = storedCopies(view).get(edge);
  return copy && canonicalText(copy);
}

function expectedCopyText(graph: CompiledModel, edge: string, node: Item | undefined): string | undefined {
  const model = copyingEdge(graph, edge);
  const copy = model && copyOf(graph, model, node);
  return copy && canonicalText({ M: copy });
}

export function isSlotRight(graph: CompiledModel, { edge, stored }: CopySlot, node: Item | undefined): boolean {
  const expected = expectedCopyText(graph, edge, node);
  return stored === (expected && hashOfText(expected));
}

/** Counts a `copies` attribute that is empty or not a map as one copy, so that a check finds it wrong. */
function storedCopies(view: Item | undefined): Map<string, Item[string]> {
  const stored = view?.[COPIES];
  if (stored === undefined) return new Map();
  const isMap = 'M' in stored && Object.keys(stored.M).length > 0;
  return new Map(isMap ? Object.entries(stored.M) : [[NO_COPIES, stored]]);
}

/** Many slots wait for their nodes at once, so they hold a hash instead of the copy. */
function copyHash(copy: Item[string] | undefined): string | undefined {
  return copy && hashOfText(canonicalText(copy));
}

function fanOutAlong(edgeKey: string): FanOutPlaces {
  return new FanOutPlaces(typePrefix(edgeKey) ?? '');
}

export function copyingEdge(model: CompiledModel, sortKey: string): EdgeModel | undefined {
  const edge = model.edges.get(typePrefix(sortKey) ?? '');
  return edge?.copy === undefined ? undefined : edge;
}

export function copyingTypes(model: CompiledModel, parent: string): EdgeModel[] {
  const type = parseNodeId(parent)?.type ?? '';
  return [...model.edges.values()].filter((edge) => edge.copy !== undefined && edge.to.has(type));
}

export function parentOf(sortKey: string): string {
  return sortKey.slice(sortKey.indexOf('-') + 1);
}

/** Leaves out malformed attributes, and adds the time at which the node ends. */
export function copyOf(graph: CompiledModel, edge: EdgeModel, node: Item | undefined): Item | undefined {
  const { table } = graph;
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

/** Copies by the sort keys of their edges; undefined if the parent doesn't exist or counts as deleted. */
export type ParentCopies = ReadonlyMap<string, Item | undefined>;

export async function readCopies(
  reader: CountingReader<'getMany'> & { graph: CompiledModel },
  sortKeys: readonly string[],
): Promise<ParentCopies> {
  const { graph } = reader;
  const edges = sortKeys.flatMap((sortKey) => {
    const edge = copyingEdge(graph, sortKey);
    return edge === undefined ? [] : [{ sortKey, edge, parent: parentOf(sortKey) }];
  });
  const parents = [...new Set(edges.map(({ parent }) => parent))];
  const items = await readItems(
    reader,
    parents.map((parent) => ({ source: parent, target: parent })),
  );
  const nodes = new Map(parents.map((parent, i) => [parent, items[i]]));
  return new Map(edges.map(({ sortKey, edge, parent }) => [sortKey, copyOf(graph, edge, nodes.get(parent))]));
}

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
