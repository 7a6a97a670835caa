import type { CompiledModel } from '../model/compiled.ts';
import { copyingEdge, copyOf, type ParentCopies, parentOf } from '../plan/copies.ts';
import type { Store } from '../store/port.ts';

/** What reading parents needs; `stats` counts the read capacity. */
export interface ParentReader {
  graph: CompiledModel;
  store: Pick<Store, 'getMany'>;
  stats: { rcu: number };
}

/**
 * What some edges, by their sort keys, copy of their parents: a consistent read of each parent. Edges of types that copy
 * nothing are left out.
 */
export async function readCopies(
  { graph, store, stats }: ParentReader,
  sortKeys: readonly string[],
): Promise<ParentCopies> {
  const edges = sortKeys.flatMap((sortKey) => {
    const edge = copyingEdge(graph, sortKey);
    return edge === undefined ? [] : [{ sortKey, edge, parent: parentOf(sortKey) }];
  });
  if (edges.length === 0) return new Map();
  const parents = [...new Set(edges.map(({ parent }) => parent))];
  const { items, rcu } = await store.getMany(
    parents.map((parent) => ({ source: parent, target: parent })),
    { consistent: true },
  );
  stats.rcu += rcu;
  const nodes = new Map(parents.map((parent, i) => [parent, items[i]]));
  return new Map(edges.map(({ sortKey, edge, parent }) => [sortKey, copyOf(graph, edge, nodes.get(parent))]));
}
