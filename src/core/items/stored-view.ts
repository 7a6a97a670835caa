import { type Item, numberOf, textsOf } from './attribute-value.ts';
import { ATTRIBUTES, COPIES, COUNT, EDGE_SET, EVICTED } from './derived-item.ts';
import { escapedEdgeOfElement } from './element.ts';

/** In a stored view, an attribute of an unexpected type counts as missing. */

export function evictedTypes(view: Item | undefined): ReadonlySet<string> {
  return new Set(textsOf(view?.[EVICTED]));
}

export function elementsByEdge(view: Item | undefined): Map<string, string[]> {
  const elements = new Map<string, string[]>();
  for (const element of textsOf(view?.[EDGE_SET])) {
    const edge = escapedEdgeOfElement(element);
    const present = elements.get(edge);
    if (present === undefined) elements.set(edge, [element]);
    else present.push(element);
  }
  return elements;
}

export function viewAttributes(view: Item | undefined): Item | undefined {
  const attributes = view?.[ATTRIBUTES];
  return attributes !== undefined && 'M' in attributes ? attributes.M : undefined;
}

export function copiesByEdge(view: Item | undefined): Map<string, Item> {
  const stored = view?.[COPIES];
  const copies = new Map<string, Item>();
  if (stored === undefined || !('M' in stored)) return copies;
  for (const [edge, copy] of Object.entries(stored.M)) if ('M' in copy) copies.set(edge, copy.M);
  return copies;
}

export function isEdgeSetMalformed(view: Item | undefined): boolean {
  const edgeSet = view?.[EDGE_SET];
  return edgeSet !== undefined && !('SS' in edgeSet);
}

export function storedCount(item: Item | undefined): number | undefined {
  if (item === undefined) return 0;
  const count = Number(numberOf(item[COUNT]));
  return Number.isSafeInteger(count) ? count : undefined;
}
