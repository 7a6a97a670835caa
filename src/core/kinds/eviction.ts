import { type Item, itemSizeBytes } from '../items/attribute-value.ts';
import { COPIES, EDGE_SET, EVICTED } from '../items/derived-item.ts';
import { parseNodeId } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';

/**
 * Bounds the size of views. DynamoDB bills an update by the whole item's size, so each edge in an unbounded edge set
 * would cost more, until none fits at 400 KB. A view that exceeds its budget evicts its largest edge type and marks it,
 * and readers read the base edges instead.
 */

/** Each write of a view is billed by its size, so a larger set only pays off if it is read many times per write. */
export const DEFAULT_VIEW_BUDGET_BYTES = 8_192;

const MAP_BYTES = 3;

export function viewBudgetBytes(graph: CompiledModel, source: string): number {
  return graph.nodes.get(parseNodeId(source)?.type ?? '')?.viewBudgetBytes ?? DEFAULT_VIEW_BUDGET_BYTES;
}

/**
 * Evicts edge types, largest first, until the view is within its budget. Changes `elements` (by escaped edge) and
 * `copies` (by edge). Returns all evicted types, including earlier ones.
 *
 * @param view everything in the view but the set, the copies and the mark.
 */
export function evictToBudget(
  elements: Map<string, string[]>,
  copies: Map<string, Item>,
  evictedBefore: ReadonlySet<string>,
  view: Item,
  budgetBytes: number,
): ReadonlySet<string> {
  const evicted = new Set(evictedBefore);
  const bytesByType = new Map<string, number>();
  let size = itemSizeBytes(view) + EDGE_SET.length + markBytes(evicted);
  for (const [edge, ofEdge] of elements) {
    const type = typeOfEdge(edge);
    const bytes = ofEdge.reduce((sum, element) => sum + Buffer.byteLength(element), 0);
    bytesByType.set(type, (bytesByType.get(type) ?? 0) + bytes);
    size += bytes;
  }
  if (copies.size > 0) size += COPIES.length + MAP_BYTES;
  for (const [edge, copy] of copies) {
    const bytes = copyBytes(edge, copy);
    bytesByType.set(typeOfEdge(edge), (bytesByType.get(typeOfEdge(edge)) ?? 0) + bytes);
    size += bytes;
  }
  while (size > budgetBytes && bytesByType.size > 0) {
    // Types of equal size are ordered by name, so that two workers evict the same one.
    const [[type, bytes]] = [...bytesByType].sort(([a, sizeA], [b, sizeB]) => sizeB - sizeA || (a < b ? -1 : 1)) as [
      [string, number],
    ];
    bytesByType.delete(type);
    for (const edge of [...elements.keys()]) if (typeOfEdge(edge) === type) elements.delete(edge);
    for (const edge of [...copies.keys()]) if (typeOfEdge(edge) === type) copies.delete(edge);
    size += markBytes(new Set([...evicted, type])) - markBytes(evicted) - bytes;
    evicted.add(type);
  }
  return evicted;
}

const SHARE_OF_BUDGET = 0.5;

/**
 * Tells whether an evicted edge type may return. Above half of the budget, a type could leave and return with each
 * edge.
 */
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
