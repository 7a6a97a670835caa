import { type Item, numberOf } from './attribute-value.ts';
import { ATTRIBUTES, COPIES, COUNT, EDGE_SET, EVICTED } from './derived-item.ts';
import { escapedEdgeOfElement } from './element.ts';

/**
 * The functions of this file parse stored views and stored counts. They treat an attribute of an unexpected type as a missing one. Only
 * `hasEdgeSet` tells the two apart.
 */

/** The edge types that left the view's set. */
export function evictedTypes(view: Item | undefined): ReadonlySet<string> {
  const evicted = view?.[EVICTED];
  return new Set(evicted !== undefined && 'SS' in evicted ? evicted.SS : []);
}

/** The elements of a view's edge set, by the edge that they belong to. */
export function elementsByEdge(view: Item | undefined): Map<string, string[]> {
  const elements = new Map<string, string[]>();
  const edgeSet = view?.[EDGE_SET];
  for (const element of edgeSet !== undefined && 'SS' in edgeSet ? edgeSet.SS : []) {
    const edge = escapedEdgeOfElement(element);
    const present = elements.get(edge);
    if (present === undefined) elements.set(edge, [element]);
    else present.push(element);
  }
  return elements;
}

/** A view's projected attributes; undefined where its node is absent. */
export function viewAttributes(view: Item | undefined): Item | undefined {
  const attributes = view?.[ATTRIBUTES];
  return attributes !== undefined && 'M' in attributes ? attributes.M : undefined;
}

/** The copies in a view: the attributes of nodes that its edges enter, by the edge's sort key. Empty if the view has none. */
export function copiesByEdge(view: Item | undefined): Map<string, Item> {
  const stored = view?.[COPIES];
  const copies = new Map<string, Item>();
  if (stored === undefined || !('M' in stored)) return copies;
  for (const [edge, copy] of Object.entries(stored.M)) if ('M' in copy) copies.set(edge, copy.M);
  return copies;
}

/** Tells whether the edge set of a view is a string set, or absent. DynamoDB adds no elements to an attribute of another type. */
export function hasEdgeSet(view: Item | undefined): boolean {
  const edgeSet = view?.[EDGE_SET];
  return edgeSet === undefined || 'SS' in edgeSet;
}

/** The number of a stored count; undefined where it holds none. An absent count is 0. */
export function countOf(item: Item | undefined): number | undefined {
  if (item === undefined) return 0;
  const count = Number(numberOf(item[COUNT]));
  return Number.isSafeInteger(count) ? count : undefined;
}
