import { type Item, itemSizeBytes, WRITE_UNIT_BYTES } from '../../items/attribute-value.ts';
import { COPIES, EDGE_SET, EVICTED } from '../../items/derived-item.ts';
import { parseNodeId } from '../../items/keys.ts';
import type { CompiledModel } from '../../model/compiled.ts';

/**
 * Bounded views. DynamoDB bills an update by the whole item, so an edge set that grows without bound makes every edge
 * dearer, and at 400 KB it stops. Beyond its budget a view gives up its largest edge type: the type is marked as
 * evicted, and readers look at the base edges instead.
 */

/** The budget of views where the model names none, in bytes. */
export const DEFAULT_VIEW_BUDGET_BYTES = 65_536;

/** What a map takes besides its entries. */
const MAP_BYTES = 3;

/** The budget of a partition's view, in bytes. */
export function viewBudgetBytes(graph: CompiledModel, source: string): number {
  return graph.nodes.get(parseNodeId(source)?.type ?? '')?.viewBudgetBytes ?? DEFAULT_VIEW_BUDGET_BYTES;
}

/** Whether a write of this many capacity units tells that the view is beyond its budget; costs no read. */
export function isOverBudget(wcu: number, budgetBytes: number): boolean {
  return wcu > Math.ceil(budgetBytes / WRITE_UNIT_BYTES);
}

/**
 * Takes edge types out of a set, the largest first, until the view is within its budget. Changes `elements` (by escaped
 * edge) and `copies` (by edge), and gives the evicted types, those from before included.
 *
 * @param view the rest of the view: keys, attributes and what else it holds besides the set, the copies and the mark.
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
    // rule: copies-count-for-the-budget
    const bytes = copyBytes(edge, copy);
    bytesByType.set(typeOfEdge(edge), (bytesByType.get(typeOfEdge(edge)) ?? 0) + bytes);
    size += bytes;
  }
  while (size > budgetBytes && bytesByType.size > 0) {
    // Ties by name, so that two workers choose alike.
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

/** What a copy takes in a view, in bytes. */
export function copyBytes(edge: string, copy: Item): number {
  return 1 + itemSizeBytes({ [edge]: { M: copy } });
}

/** The edge type of a sort key, escaped or not: types hold nothing that is escaped. */
function typeOfEdge(edge: string): string {
  return edge.slice(0, edge.indexOf('-'));
}

function markBytes(evicted: ReadonlySet<string>): number {
  return evicted.size === 0 ? 0 : itemSizeBytes({ [EVICTED]: { SS: [...evicted] } });
}
