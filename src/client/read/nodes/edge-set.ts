import { type Item, setOwn, stringOf } from '../../../core/items/attribute-value.ts';
import { EDGE_SET } from '../../../core/items/derived-item.ts';
import {
  compareElements,
  decodeElement,
  type EdgeElement,
  ENTRY_FIELDS,
  edgeKeyOfElement,
} from '../../../core/items/element.ts';
import { parseNodeId, typePrefix } from '../../../core/items/keys.ts';
import { type NumberReader, toPlain, toPlainItem } from '../../../core/items/plain.ts';
import { copiesByEdge, evictedTypes } from '../../../core/items/stored-view.ts';
import { ENDS, withoutEnd } from '../../../core/model/ends.ts';
import { derivedOf } from '../../../core/plan/derive.ts';
import { queryPages } from '../../../core/store-pages.ts';
import type { ReadContext } from '../request/context.ts';
import type { EdgeSetElement } from '../request/result.ts';

/** An edge set, decoded. */
export interface EdgeSetRead {
  entries: EdgeSetElement[];
  /** DynamoDB calls made for it besides the one that read the view. */
  calls: number;
}

/**
 * The decoded edge set of a view. Edge types that left the set because it grew too big are read from the partition's
 * base edges instead: the same result, at the price of at least one Query each.
 */
export async function readEdgeSet(
  context: ReadContext,
  source: string,
  view: Item | undefined,
  consistent: boolean,
): Promise<EdgeSetRead> {
  const evicted = evictedTypes(view);
  const set = view?.[EDGE_SET];
  const stored = set !== undefined && 'SS' in set ? set.SS : [];
  const copies = copiesByEdge(view);
  if (evicted.size === 0) return { entries: decodeElements(stored, context.readNumber, copies), calls: 0 };
  const elements = stored.filter((element) => !evicted.has(typePrefix(element) ?? ''));
  let calls = 0;
  for (const edgeType of evicted) calls += await addElements(context, source, edgeType, consistent, elements);
  return { entries: decodeElements(elements, context.readNumber, copies), calls };
}

/**
 * Decodes elements, sorted by type, then by target. Labels keep their base type, absent ones are left out. A text that is
 * no element (corrupt data) is left out: one bad element should not cost a reader the page, and the check reports it.
 *
 * @param copies what the view holds of the targets, by the edges' sort keys.
 */
export function decodeElements(
  elements: readonly string[],
  readNumber: NumberReader,
  copies: ReadonlyMap<string, Item> = new Map(),
): EdgeSetElement[] {
  return elements
    .flatMap((text): [EdgeElement, edge: string][] => {
      const element = decodeElement(text);
      return element !== undefined && parseNodeId(element.target) !== undefined
        ? [[element, edgeKeyOfElement(text)]]
        : [];
    })
    .sort(([left], [right]) => compareElements(left, right))
    .map(([{ type, target, labels }, edge]) => {
      const entry: EdgeSetElement = { type, target };
      for (const [name, value] of labels) {
        if (!ENTRY_FIELDS.has(name) && name !== ENDS) setOwn<unknown>(entry, name, toPlain(value, readNumber));
      }
      const copy = copies.get(edge);
      return copy === undefined ? entry : { ...entry, copy: toPlainItem(withoutEnd(copy), readNumber) };
    });
}

/** Adds the elements of one edge type, derived from the base edges as the projector does; gives the calls it took. */
async function addElements(
  { graph, store }: ReadContext,
  source: string,
  edgeType: string,
  consistent: boolean,
  elements: string[],
): Promise<number> {
  let calls = 0;
  const request = { partition: source, sortKey: { beginsWith: `${edgeType}-` }, consistent };
  for await (const { items } of queryPages(store, request)) {
    calls += 1;
    for (const item of items) {
      const { element } = derivedOf(graph, source, stringOf(item[graph.table.sortKey]) ?? '', item);
      if (element !== undefined) elements.push(element);
    }
  }
  return calls;
}
