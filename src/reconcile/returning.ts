import { type Item, itemSizeBytes, stringOf } from '../core/items/attribute-value.ts';
import { evictedTypes } from '../core/items/stored-view.ts';
import type { Difference } from '../core/kinds/difference.ts';
import { copyBytes, fitsBackIntoView, viewBudgetBytes } from '../core/kinds/eviction.ts';
import { readCopies } from '../core/kinds/parent-copies.ts';
import { markText } from '../core/kinds/view.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { derivedOf } from '../core/plan/derive.ts';
import { queryPages } from '../core/store-pages.ts';
import type { Store } from '../core/store-port.ts';

/** Finds evicted edge types that fit into their view again, which the size of their edges decides. */

interface ReturningContext {
  graph: CompiledModel;
  store: Pick<Store, 'getMany' | 'query'>;
}

/** Names those of some evicted edge types that fit into a view again. */
export async function returningTypes(
  context: ReturningContext,
  source: string,
  view: Item | undefined,
  types: readonly string[],
): Promise<Difference[]> {
  const evicted = evictedTypes(view);
  const found: Difference[] = [];
  for (const type of types) {
    const isListed = context.graph.edges.get(type)?.labels !== undefined;
    if (isListed && evicted.has(type) && (await fitsBack(context, source, view!, type)))
      found.push({ kind: 'returning', about: type, expected: null, stored: markText(type) });
  }
  return found;
}

/** Reads the type's edges only until they exceed the budget. */
async function fitsBack(context: ReturningContext, source: string, view: Item, edgeType: string): Promise<boolean> {
  const { graph, store } = context;
  let bytes = itemSizeBytes(view);
  const request = { partition: source, sortKey: { beginsWith: `${edgeType}-` }, consistent: true };
  for await (const page of queryPages(store, request)) {
    const listed: string[] = [];
    for (const item of page.items) {
      const edge = stringOf(item[graph.table.sortKey]) ?? '';
      const { element } = derivedOf(graph, source, edge, item);
      if (element === undefined) continue;
      bytes += Buffer.byteLength(element);
      listed.push(edge);
    }
    if (fitsBackIntoView(graph, source, bytes)) bytes += await bytesOfCopies(context, listed);
    if (bytes > viewBudgetBytes(graph, source)) break;
  }
  return fitsBackIntoView(graph, source, bytes);
}

async function bytesOfCopies({ graph, store }: ReturningContext, edges: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const [edge, copy] of await readCopies({ graph, store, stats: { rcu: 0 } }, edges)) {
    if (copy !== undefined) bytes += copyBytes(edge, copy);
  }
  return bytes;
}
