import { type Item, itemSizeBytes } from '../items/attribute-value.ts';
import { COPIES, EDGE_SET, EVICTED } from '../items/derived-item.ts';
import { parseNodeId } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';

/**
 * Bounds the size of views. DynamoDB bills an update by the whole item's size, so each further edge in an unbounded
 * edge set would cost more, until none fits at 400 KB. A view that exceeds its budget evicts its largest edge type and
 * marks it, and readers read the base edges instead.
 */

/** Each write of a view is billed by its size, so a larger set only pays off if it is read many times per write. */
export const DEFAULT_VIEW_BUDGET_BYTES = 8_192;

const MAP_BYTES = 3;

export function viewBudgetBytes(graph: CompiledModel, source: string): number {
  return graph.nodes.get(parseNodeId(source)?.type ?? '')?.viewBudgetBytes ?? DEFAULT_VIEW_BUDGET_BYTES;
}

interface Evictable {
  /** Keyed by the edge's escaped sort key. */
  elements: Map<string, string[]>;
  /** Keyed by the edge's sort key. */
  copies: Map<string, Item>;
  evictedBefore: ReadonlySet<string>;
  rest: Item;
}

/**
 * Deletes the largest edge types from `elements` and `copies` until the view is within its budget. Returns all evicted
 * types, including earlier ones.
 */
export function evictToBudget(
  { elements, copies, evictedBefore, rest }: Evictable,
  budgetBytes: number,
): ReadonlySet<string> {
  const evicted = new Set(evictedBefore);
  const bytesByType = bytesOfTypes(elements, copies);
  let size = itemSizeBytes(rest) + EDGE_SET.length + markBytes(evicted);
  if (copies.size > 0) size += COPIES.length + MAP_BYTES;
  for (const bytes of bytesByType.values()) size += bytes;
  while (size > budgetBytes && bytesByType.size > 0) {
    const type = largestType(bytesByType);
    deleteType(elements, type);
    deleteType(copies, type);
    size += markBytes(new Set([...evicted, type])) - markBytes(evicted) - bytesByType.get(type)!;
    bytesByType.delete(type);
    evicted.add(type);
  }
  return evicted;
}

function bytesOfTypes(
  elements: ReadonlyMap<string, readonly string[]>,
  copies: ReadonlyMap<string, Item>,
): Map<string, number> {
  const bytesByType = new Map<string, number>();
  const add = (type: string, bytes: number): unknown => bytesByType.set(type, (bytesByType.get(type) ?? 0) + bytes);
  for (const [edge, ofEdge] of elements)
    add(
      typeOfEdge(edge),
      ofEdge.reduce((sum, element) => sum + Buffer.byteLength(element), 0),
    );
  for (const [edge, copy] of copies) add(typeOfEdge(edge), copyBytes(edge, copy));
  return bytesByType;
}

/** Orders types of equal size by name, so that two workers evict the same one. */
function largestType(bytesByType: ReadonlyMap<string, number>): string {
  const [largest] = [...bytesByType].sort(([a, sizeA], [b, sizeB]) => sizeB - sizeA || (a < b ? -1 : 1));
  return largest![0];
}

function deleteType(byEdge: Map<string, unknown>, type: string): void {
  for (const edge of [...byEdge.keys()]) if (typeOfEdge(edge) === type) byEdge.delete(edge);
}

/** Half of the budget stays free, so that a type doesn't leave and return with each edge. */
const SHARE_OF_BUDGET = 0.5;

export function fitsBackIntoView(graph: CompiledModel, source: string, viewBytes: number): boolean {
  return viewBytes <= viewBudgetBytes(graph, source) * SHARE_OF_BUDGET;
}

export function copyBytes(edge: string, copy: Item): number {
  return 1 + itemSizeBytes({ [edge]: { M: copy } });
}

/** Also accepts escaped sort keys, since type names have no characters to escape. */
function typeOfEdge(edge: string): string {
  return edge.slice(0, edge.indexOf('-'));
}

function markBytes(evicted: ReadonlySet<string>): number {
  return evicted.size === 0 ? 0 : itemSizeBytes({ [EVICTED]: { SS: [...evicted] } });
}
