import { type Item, stringOf } from '../../../core/items/attribute-value.ts';
import { ATTRIBUTES, COPIES, EDGE_SET } from '../../../core/items/derived-item.ts';
import { BASE_ITEMS } from '../../../core/items/keys.ts';
import { copyingEdge, copyOf, parentOf } from '../../../core/kinds/copy.ts';
import { derivedOf } from '../../../core/plan/derive.ts';
import { queryPages } from '../../../core/store-pages.ts';
import type { ReadContext } from '../request/read-context.ts';

/**
 * Derives a view from base items, for reads that can't use the stored one because its shape differs from the reader's
 * model or is changing.
 */
export async function deriveView(
  { graph, store }: ReadContext,
  source: string,
  consistent: boolean,
): Promise<Item | undefined> {
  const elements: string[] = [];
  const copying: string[] = [];
  let attributes: Item | undefined;
  for await (const { items } of queryPages(store, { partition: source, sortKey: BASE_ITEMS, consistent })) {
    for (const item of items) {
      const target = stringOf(item[graph.table.sortKey]) ?? '';
      const derived = derivedOf(graph, source, target, item);
      if (target === source) attributes = derived.attributes;
      if (derived.element === undefined) continue;
      elements.push(derived.element);
      if (copyingEdge(graph, target) !== undefined) copying.push(target);
    }
  }
  const copies: Item = {};
  // rule: base-items-instead-of-a-view-bring-their-parents
  if (copying.length > 0) {
    const parents = copying.map((edge) => ({ source: parentOf(edge), target: parentOf(edge) }));
    const read = await store.getMany(parents, { consistent });
    for (const [i, edge] of copying.entries()) {
      const copy = copyOf(graph, copyingEdge(graph, edge)!, read.items[i]);
      if (copy !== undefined) copies[edge] = { M: copy };
    }
  }
  if (elements.length === 0 && attributes === undefined) return undefined;
  return {
    ...(elements.length > 0 && { [EDGE_SET]: { SS: elements } }),
    ...(attributes && { [ATTRIBUTES]: { M: attributes } }),
    ...(copying.length > 0 && { [COPIES]: { M: copies } }),
  };
}
