import { type Item, sameItem } from '../../../src/core/items/attribute-value.ts';
import { presentMap, setOf } from './values.ts';

/** How the oracles of several packs compare stored derived items with what these should be. */

/** The fields of an index item, a reverse item, an entry or a part's view that say something. */
export const CONTENT = 'gsi0pk gsi0sk gsi1pk gsi1sk value gsi1value attributes counted ledger child'.split(' ');

/** The fields of a stored item that say something. */
export function contentOf(item: Item | undefined): Item {
  const content: Item = {};
  for (const field of CONTENT) if (item?.[field] !== undefined) content[field] = item[field];
  return content;
}

/** What a view should hold. */
export interface ExpectedView {
  attributes?: Item | undefined;
  elements: Iterable<string>;
  /** What edges copy of the nodes that they enter, by the edge's sort key. */
  copies: ReadonlyMap<string, Item>;
}

/** A part of a view that is not as it should be. */
export interface ViewDifference {
  kind: 'attributes' | 'copy' | 'element';
  /** The sort key of the edge; empty for attributes. */
  edge: string;
  text: string;
}

/** The parts of a view that are not as they should be; `edgeOf` gives the sort key of an element's edge. */
export function viewDifferences(
  view: Item | undefined,
  right: ExpectedView,
  edgeOf: (element: string) => string,
): ViewDifference[] {
  const found: ViewDifference[] = [];
  const evicted = setOf(view?.['evicted']);
  const isEvicted = (edge: string): boolean => evicted.includes(edge.split('-')[0]!);
  const elements = new Set(setOf(view?.['edgeSet']));
  const expected = new Set([...right.elements].filter((element) => !isEvicted(element)));
  for (const element of new Set([...elements, ...expected])) {
    if (elements.has(element) === expected.has(element)) continue;
    const text = `element ${element.slice(0, 60)} is ${elements.has(element) ? 'too much' : 'missing'}`;
    found.push({ kind: 'element', edge: edgeOf(element), text });
  }
  if (!sameItem(presentMap(view?.['attributes']), right.attributes))
    found.push({ kind: 'attributes', edge: '', text: 'attributes' });
  const copies = presentMap(view?.['copies']) ?? {};
  for (const edge of new Set([...Object.keys(copies), ...right.copies.keys()])) {
    const copy = isEvicted(edge) ? undefined : right.copies.get(edge);
    if (!sameItem(presentMap(copies[edge]), copy)) found.push({ kind: 'copy', edge, text: `copy along ${edge}` });
  }
  return found;
}

/** The base items, as `source target`, that decide about a part of the view of a node. */
export function basesOfPart(kind: ViewDifference['kind'], source: string, edge: string): string[] {
  if (kind === 'attributes') return [`${source} ${source}`];
  const parent = edge.slice(edge.indexOf('-') + 1);
  return [`${source} ${edge}`, ...(kind === 'copy' ? [`${parent} ${parent}`] : [])];
}
