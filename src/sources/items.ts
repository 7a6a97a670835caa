/** A node or an edge as a mapping makes it: its two keys, and its attributes as plain values. */
export type MappedItem = { readonly source: string; readonly target: string } & Readonly<Record<string, unknown>>;

/**
 * A node that a mapping makes. It needs no graph, unlike `nodeItem`: a mapping is declared before the graph, and the mirror checks
 * its items by the graph when it writes them.
 *
 * @example
 * mappedNode(`ISSUE-${item.issueNumber}`, { subject: item.subject });
 */
export function mappedNode(id: string, attributes: Readonly<Record<string, unknown>> = {}): MappedItem {
  return { source: id, target: id, ...attributes };
}

/**
 * An edge that a mapping makes. The key of a type with hashed keys is made later, from the target's id.
 *
 * @example
 * mappedEdge(`ISSUE-${item.issueNumber}`, 'IN_REPO', `REPO-${item.repoName}`);
 */
export function mappedEdge(
  source: string,
  type: string,
  target: string,
  attributes: Readonly<Record<string, unknown>> = {},
): MappedItem {
  return { source, target: `${type}-${target}`, ...attributes };
}
