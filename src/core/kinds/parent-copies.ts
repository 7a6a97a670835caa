import type { CompiledModel } from '../model/compiled.ts';
import { type CountingReader, readItems } from '../store-pages.ts';
import { copyingEdge, copyOf, type ParentCopies, parentOf } from './copy.ts';

export interface ParentReader extends CountingReader<'getMany'> {
  graph: CompiledModel;
}

/** With a consistent read of each parent. Edges of types without copies are left out. */
export async function readCopies(reader: ParentReader, sortKeys: readonly string[]): Promise<ParentCopies> {
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
