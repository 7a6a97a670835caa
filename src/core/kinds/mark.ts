import { type Item, itemSizeBytes, stringOf } from '../items/attribute-value.ts';
import { evictedTypes } from '../items/stored-view.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { queryPages } from '../store-pages.ts';
import { copyBytes, viewBudgetBytes } from './eviction.ts';
import { readCopies } from './parent-copies.ts';
import type { CompareContext, Compared, JudgeContext, Part, PartKind } from './part.ts';

/** The mark of an evicted edge type, which the size of its edges decides. */
export const mark: PartKind<Extract<Part, { kind: 'mark' }>> = {
  isUnobserved: true,
  isContent: true,
  // If no edge set lists the type any more, the mark is left over from another model: drift.
  isMaintenance: ({ edges }, { edgeType }) => edges.get(edgeType)?.labels !== undefined,
  decidingKeys: () => [],
  compare: (context, { suspect: { source, part }, derived }) => compareMark(context, source, derived, part.edgeType),
  repairInView: ({ unmark }, _graph, { part }) => unmark.add(part.edgeType),
};

/** The largest share of the budget that a view may have with a returning edge type. */
const SHARE_OF_BUDGET = 0.5;

/**
 * Whether an evicted edge type may return: the view would take at most half of its budget. With a higher share a type
 * could leave and return with each edge.
 */
export function fitsBackIntoView(graph: CompiledModel, source: string, viewBytes: number): boolean {
  return viewBytes <= viewBudgetBytes(graph, source) * SHARE_OF_BUDGET;
}

/** Reads the type's edges only until they exceed the budget. */
async function compareMark(
  { graph, store, derivedOf }: CompareContext,
  source: string,
  view: Item | undefined,
  edgeType: string,
): Promise<Compared> {
  const text = `mark of evicted ${edgeType}`;
  if (view === undefined || !evictedTypes(view).has(edgeType)) return { expected: null, stored: null };
  if (graph.edges.get(edgeType)?.labels === undefined) return { expected: null, stored: text };
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
    if (fitsBackIntoView(graph, source, bytes)) bytes += await bytesOfCopies({ graph, store }, listed);
    if (bytes > viewBudgetBytes(graph, source)) break;
  }
  return { expected: fitsBackIntoView(graph, source, bytes) ? null : text, stored: text };
}

async function bytesOfCopies(
  { graph, store }: Pick<JudgeContext, 'graph' | 'store'>,
  edges: readonly string[],
): Promise<number> {
  let bytes = 0;
  for (const [edge, copy] of await readCopies({ graph, store, stats: { rcu: 0 } }, edges)) {
    if (copy !== undefined) bytes += copyBytes(edge, copy);
  }
  return bytes;
}
