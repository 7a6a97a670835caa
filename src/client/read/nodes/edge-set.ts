import { type Item, setOwn, stringOf, textsOf } from '../../../core/items/attribute-value.ts';
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
import type { ReadOptions } from '../../../core/store-port.ts';
import type { OwnWrites } from '../../session/own-writes.ts';
import type { ReadContext } from '../request/read-context.ts';
import type { EdgeSetElement } from '../request/result.ts';

export interface EdgeSetRead {
  entries: EdgeSetElement[];
  truncated: string[];
}

/** Bounds a read, because a hub may have any number of edges. */
const EDGES_OF_EVICTED_TYPE = 100;
/**
 * Bounds the stored edges that a read examines, because soft-deleted and expired edges don't count as returned ones.
 */
const MOST_EDGES_READ = 1000;

export async function readEdgeSet(
  context: ReadContext,
  source: string,
  view: Item | undefined,
  { consistent, own }: ReadOptions & { own: OwnWrites },
): Promise<EdgeSetRead> {
  const evicted = evictedTypes(view);
  const set = view?.[EDGE_SET];
  const stored = textsOf(set);
  const copies = copiesByEdge(view);
  if (evicted.size === 0) return { entries: decodeElements(stored, context.readNumber, copies), truncated: [] };
  const elements = new Set(stored.filter((element) => !evicted.has(typePrefix(element) ?? '')));
  const truncated: string[] = [];
  for (const edgeType of evicted) {
    const { spending } = context;
    if (spending?.isSpent) {
      truncated.push(edgeType);
      continue;
    }
    const page = await readFirstElements(context, source, edgeType, consistent);
    if (!page.isWhole) truncated.push(edgeType);
    for (const element of page.elements) elements.add(element);
  }
  // Edges that the session wrote may lie beyond the first ones.
  for (const element of ownElements(context, source, evicted, own)) elements.add(element);
  return { entries: decodeElements([...elements], context.readNumber, copies), truncated: truncated.sort() };
}

/** Leaves out corrupt elements, which the check reports. */
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

async function readFirstElements(
  { graph, store, spending }: ReadContext,
  source: string,
  edgeType: string,
  consistent: boolean,
): Promise<{ elements: string[]; isWhole: boolean }> {
  const request = { partition: source, sortKey: { beginsWith: `${edgeType}-` }, consistent };
  const elements: string[] = [];
  let read = 0;
  // DynamoDB ends a page of large edges early, so read on. One extra edge tells whether there are more.
  for await (const page of queryPages(store, { ...request, limit: EDGES_OF_EVICTED_TYPE + 1 })) {
    for (const item of page.items) {
      const { element } = derivedOf(graph, source, stringOf(item[graph.table.sortKey]) ?? '', item);
      if (element === undefined) continue;
      if (elements.length === EDGES_OF_EVICTED_TYPE) return { elements, isWhole: false };
      elements.push(element);
    }
    read += page.scanned;
    if (page.lastKey !== undefined && (read >= MOST_EDGES_READ || spending?.isSpent === true)) {
      return { elements, isWhole: false };
    }
  }
  return { elements, isWhole: true };
}

function ownElements(
  { graph }: ReadContext,
  source: string,
  types: ReadonlySet<string>,
  { writes }: OwnWrites,
): string[] {
  return writes.flatMap((write) => {
    if (write.source !== source || !types.has(typePrefix(write.target) ?? '')) return [];
    return derivedOf(graph, source, write.target, write.item).element ?? [];
  });
}
