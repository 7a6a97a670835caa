import { EdgeloomError } from '../foundation/errors.ts';

/** A node or an edge as a mapping makes it: its two keys, and its attributes as plain values. */
export type MappedItem = { readonly source: string; readonly target: string } & Readonly<Record<string, unknown>>;

export const KEYS: readonly string[] = ['source', 'target'];

/**
 * A node that a mapping makes. It needs no graph, unlike `nodeItem`: a mapping is declared before the graph, and the mirror checks
 * its items by the graph when it writes them. Throws `invalid-mapping` for an attribute `source` or `target`, which would be another key.
 *
 * @example
 * mappedNode(`ISSUE-${item.issueNumber}`, { subject: item.subject });
 */
export function mappedNode(id: string, attributes: Readonly<Record<string, unknown>> = {}): MappedItem {
  return withKeys(id, id, attributes);
}

/**
 * An edge that a mapping makes. The key of a type with hashed keys is made later, from the target's id. Throws `invalid-mapping` as
 * `mappedNode` does.
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
  return withKeys(source, `${type}-${target}`, attributes);
}

function withKeys(source: string, target: string, attributes: Readonly<Record<string, unknown>>): MappedItem {
  const taken = KEYS.find((name) => Object.hasOwn(attributes, name));
  if (taken === undefined) return { source, target, ...attributes };
  throw new EdgeloomError(
    'invalid-mapping',
    `The attribute ${taken} of ${source} ${target} is a key of items here.`,
    'Give it another name, or leave it out.',
  );
}
