import { EdgeloomError } from '../foundation/errors.ts';

/** A node or an edge made by a mapping, with its keys and its attributes as plain values. */
export type MappedItem = { readonly source: string; readonly target: string } & Readonly<Record<string, unknown>>;

export const KEYS: readonly string[] = ['source', 'target'];

/**
 * Makes a node in a mapping. Unlike `nodeItem` it needs no graph, because mappings are declared before the graph; the
 * mirror validates the node later. Throws `invalid-mapping` for an attribute named `source` or `target`, which are the
 * keys.
 *
 * @example
 * mappedNode(`ISSUE-${item.issueNumber}`, { subject: item.subject });
 */
export function mappedNode(id: string, attributes: Readonly<Record<string, unknown>> = {}): MappedItem {
  return withKeys(id, id, attributes);
}

/**
 * Makes an edge in a mapping. For a type with hashed keys, the mirror computes the key from the target's id later.
 * Throws `invalid-mapping` like `mappedNode`.
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
