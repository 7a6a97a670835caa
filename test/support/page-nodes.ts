import type { AnyPageNode, Neighbor, PageNode } from '../../src/client/read/levels/page-tree.ts';

/** The neighbors on all levels of a page by id, with their attributes: what the page shows besides its own nodes. */
export function neighborsOf({ items }: { items: readonly PageNode<string, unknown>[] }): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const seen = new Set<AnyPageNode>();
  const follow = (node: AnyPageNode): void => {
    if (seen.has(node)) return;
    seen.add(node);
    for (const { node: other } of allNeighbors(node)) {
      found[other.id] = other.attributes;
      follow(other);
    }
  };
  for (const item of items) follow(item as AnyPageNode);
  return found;
}

/** The neighbors of one node, by any edges. */
export function allNeighbors({ edges = {}, inbound = {} }: AnyPageNode): Neighbor[] {
  return [...Object.values(edges), ...Object.values(inbound)].flat();
}

/** The edges that leave a node of a page, as an edge set has them. */
export function entriesOf(node: PageNode<string, unknown>): Record<string, unknown>[] {
  const { edges = {} } = node as AnyPageNode;
  return Object.entries(edges).flatMap(([type, neighbors]) =>
    neighbors.map(({ edge, node: { id } }) => ({ type, target: id, ...edge })),
  );
}
