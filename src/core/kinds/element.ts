import type { Item } from '../items/attribute-value.ts';
import { escapedEdge } from '../items/element.ts';
import { typePrefix } from '../items/keys.ts';
import { elementsByEdge, evictedTypes, hasEdgeSet } from '../items/stored-view.ts';
import type { Part, PartKind } from './part.ts';

/** The elements of one edge in a view. The edge decides about them. */
export const element: PartKind<Extract<Part, { kind: 'element' }>> = {
  isContent: true,
  decidingKeys: (_context, { source, part }) => [{ source, target: part.target }],
  compare({ graph, derivedOf }, { suspect: { source, part }, derived, items }) {
    const expected = derivedOf(graph, source, part.target, items[0]).element;
    const stored = elementsByEdge(derived).get(escapedEdge(part.target)) ?? [];
    const isEvicted = evictedTypes(derived).has(typePrefix(part.target) ?? '');
    return {
      wanted: isEvicted ? null : (expected ?? null),
      stored: stored.length === 0 ? null : stored.join(', '),
    };
  },
  repairInView: ({ targets }, _graph, { part }) => targets.add(part.target),
};

/** Represents an edge set that is no string set. No element has this text. */
export const NO_SET = 'a set that is no string set';

/** An element of a view that names no edge. No base item asks for it. */
export const garbage: PartKind<Extract<Part, { kind: 'garbage' }>> = {
  isContent: true,
  decidingKeys: () => [],
  compare: (_context, { suspect: { part }, derived }) => ({
    wanted: null,
    stored: holdsElement(derived, part.element) ? part.element : null,
  }),
  // Any write of a view makes its set a string set again.
  repairInView({ drop }, _graph, { part }) {
    if (part.element !== NO_SET) drop.push(part.element);
  },
};

/** Whether a view holds an element. For `NO_SET`: whether its edge set is no string set. */
function holdsElement(view: Item | undefined, text: string): boolean {
  if (!hasEdgeSet(view)) return text === NO_SET;
  return [...elementsByEdge(view).values()].some((elements) => elements.includes(text));
}
