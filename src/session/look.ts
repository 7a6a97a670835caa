import { type Item, sameItem, stringOf } from '../items/attribute-value.ts';
import { revisionOf } from '../items/derived-item.ts';
import { escapedEdge } from '../items/element.ts';
import { edgeIndexKey, ownerIndexKey, searchKey, searchValuePrefix, VIEW_KEY } from '../items/keys.ts';
import { elementsByEdge, evictedTypes, viewAttributes, viewCopies } from '../items/stored-view.ts';
import { classifyKey, type KeyKind } from '../model/base-item.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import { copyOf, reverseOf } from '../plan/copies.ts';
import { derivedOf } from '../plan/derive.ts';
import type { Derived } from '../plan/derived.ts';
import { isAsWanted } from '../plan/writes.ts';
import { queriedItems } from '../store/pages.ts';
import type { ItemKey, Store } from '../store/port.ts';

/** One look at a base item and what is derived from it: whether all of it agrees, and the revisions of what is there. */
export interface Look {
  agrees: boolean;
  revisions: string;
}

/** A base item beside what is derived from it. */
export interface Comparison extends Pick<Derived, 'problems'> {
  /** Keys of derived items that are not as the base item wants them. */
  differing: string[];
  revisions: string;
}

/** What a base item that the model projects is. */
export type ProjectedKind = Extract<KeyKind, { kind: 'node' | 'edge' | 'hashed' }>;

/** What looking needs. */
export interface LookContext {
  graph: CompiledModel;
  store: Store;
  /** Whether reads use a view; one that they do not use is made of the base items, which are up to date at any time. */
  usesView?: ((view: Item | undefined) => boolean) | undefined;
}

/** Looks at a base item, consistently. What the model does not project agrees: nothing comes of it. */
export async function lookAt(context: LookContext, base: ItemKey): Promise<Look> {
  const kind = classifyKey(context.graph, base.source, base.target);
  if (kind.kind !== 'node' && kind.kind !== 'edge' && kind.kind !== 'hashed') return { agrees: true, revisions: '' };
  const { differing, revisions } = await compareDerived(context, base, kind, true);
  return { agrees: differing.length === 0, revisions };
}

/** Compares what is derived from a base item with a consistent read of it. */
export async function compareDerived(
  context: LookContext,
  base: ItemKey,
  kind: ProjectedKind,
  consistent: boolean,
): Promise<Comparison> {
  const { graph, store } = context;
  // The base item first: what is derived from it may be newer by then, never older than it was.
  const { item } = await store.get(base, { consistent: true });
  const derived = derivedOf(graph, base.source, base.target, item);
  const copy = item === undefined ? undefined : await wantedCopy(context, kind);
  const stored = await storedItems(context, base, consistent);
  const view = stored.get(VIEW_KEY);
  const isUsed = context.usesView?.(view) ?? true;
  const differing = !isUsed || isViewAsWanted(view, base, kind, derived, copy) ? [] : [VIEW_KEY];
  for (const sortKey of new Set([...stored.keys(), ...derived.indexItems.keys()])) {
    if (sortKey === VIEW_KEY) continue;
    if (!isAsWanted(stored.get(sortKey), derived.indexItems.get(sortKey))) differing.push(sortKey);
  }
  const reverse = reverseOf(graph, base);
  if (reverse !== undefined) {
    const { item: storedReverse } = await store.get(reverse, { consistent });
    if (!isAsWanted(storedReverse, derived.reverse?.fields)) differing.push(`${reverse.source} ${reverse.target}`);
    stored.set(`${reverse.source} ${reverse.target}`, storedReverse);
  }
  return { problems: derived.problems, differing, revisions: revisionsOf(stored) };
}

/** The revisions of items, as a short text. */
function revisionsOf(stored: ReadonlyMap<string, Item | undefined>): string {
  const revisions = [...stored].map(([key, item]) => {
    return [key, revisionOf(item) ?? '-'] as const;
  });
  return revisions
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, revision]) => revision)
    .join(' ');
}

/** What an edge copies of its target, by a consistent read; undefined where that does not exist, or nothing is copied. */
async function wantedCopy({ graph, store }: LookContext, kind: ProjectedKind): Promise<Item | undefined> {
  if (kind.kind !== 'edge' || kind.edge.copy === undefined) return undefined;
  const { item } = await store.get({ source: kind.target, target: kind.target }, { consistent: true });
  return copyOf(graph, kind.edge, item);
}

/** The view and every index item that the base item may have, also ones that it wants no more. */
async function storedItems(
  { graph, store }: LookContext,
  { source, target }: ItemKey,
  consistent: boolean,
): Promise<Map<string, Item | undefined>> {
  const sortKeys = new Set([VIEW_KEY]);
  const prefixes: string[] = [];
  for (const layer of layersOf(graph)) {
    const kind = classifyKey(layer, source, target);
    if (kind.kind === 'edge' || kind.kind === 'hashed') {
      const { degree, inbound, generation: ofCount } = kind.edge;
      if (degree) sortKeys.add(edgeIndexKey(target, undefined, ofCount));
      for (const { orderName, generation } of inbound?.items ?? []) {
        sortKeys.add(edgeIndexKey(target, orderName, generation));
      }
    } else if (kind.kind === 'node') {
      for (const { name, each, generation } of kind.node.searches.values()) {
        if (each) prefixes.push(searchValuePrefix(name, generation));
        else sortKeys.add(searchKey(name, generation));
      }
      for (const { type, inbound } of kind.node.ownerOf) {
        for (const { orderName, generation } of inbound?.items ?? []) {
          sortKeys.add(ownerIndexKey(type, orderName, generation));
        }
      }
    }
  }
  const keys = [...sortKeys].map((sortKey) => ({ source, target: sortKey }));
  const { items } = await store.getMany(keys, { consistent });
  const stored = new Map([...sortKeys].map((sortKey, i) => [sortKey, items[i]]));
  for (const beginsWith of prefixes) {
    const items = queriedItems(store, { partition: source, sortKey: { beginsWith }, consistent });
    for await (const item of items) stored.set(stringOf(item[graph.table.sortKey])!, item);
  }
  return stored;
}

function isViewAsWanted(
  view: Item | undefined,
  base: ItemKey,
  kind: ProjectedKind,
  { element, attributes }: Derived,
  copy: Item | undefined,
): boolean {
  if (kind.kind === 'node') return sameItem(viewAttributes(view), attributes);
  // An evicted type is read from the base edges: it is up to date at any time.
  if (evictedTypes(view).has(kind.edge.type)) return true;
  if (!sameItem(viewCopies(view).get(base.target), copy)) return false;
  const elements = elementsByEdge(view).get(escapedEdge(base.target)) ?? [];
  return element === undefined ? elements.length === 0 : elements.length === 1 && elements[0] === element;
}
