import { canonicalText, type Item, sameItem, stringOf } from '../items/attribute-value.ts';
import { AFTER, revisionOf } from '../items/derived-item.ts';
import { escapedEdge } from '../items/element.ts';
import { hash128, parseNodeId, VIEW_KEY } from '../items/keys.ts';
import { elementsByEdge, evictedTypes, viewAttributes, viewCopies } from '../items/stored-view.ts';
import { classifyKey, type KeyKind } from '../model/base-item.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { joinedTypesFrom, needsSource, type SourceNode } from '../model/joined.ts';
import { copyOf, reverseOf } from '../plan/copies.ts';
import { derivedOf } from '../plan/derive.ts';
import type { Derived } from '../plan/derived.ts';
import { fanOutsOf } from '../plan/fan-out.ts';
import { joinedKeysOf } from '../plan/joined.ts';
import { placesOfBase } from '../plan/places-of-base.ts';
import { isAsWanted } from '../plan/writes/updates.ts';
import { pages, queriedItems } from '../store/pages.ts';
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

/**
 * How far the edges of a source node have been compared with it: those before the place agree with this image of the node. What has
 * come to an edge's item is not taken back, so a wait need not look at them again.
 */
export interface EdgesPlace {
  node?: string;
  edgeType?: string;
  after?: Item | undefined;
  isAtEnd?: boolean;
}

/** Looks at a base item, consistently. What the model does not project agrees: nothing comes of it. */
export async function lookAt(context: LookContext, base: ItemKey): Promise<Look> {
  const kind = classifyKey(context.graph, base.source, base.target);
  if (kind.kind !== 'node' && kind.kind !== 'edge' && kind.kind !== 'hashed') return { agrees: true, revisions: '' };
  const { differing, revisions } = await compareDerived(context, base, kind, true);
  return { agrees: differing.length === 0, revisions };
}

/** Whether what a change of a node brings to others is brought to all of them: no page of a fan-out of it is left. */
export async function hasFannedOut({ graph, store }: LookContext, { source, target }: ItemKey): Promise<boolean> {
  const fanOuts = source === target ? fanOutsOf(graph, source, '') : [];
  if (fanOuts.length === 0) return true;
  const { items } = await store.getMany(
    fanOuts.map(({ sortKey }) => ({ source, target: sortKey })),
    { consistent: true },
  );
  return items.every((item) => item?.[AFTER] === undefined);
}

/**
 * Compares what is derived from a base item with a consistent read of it. Of a source node's edges it looks at one page after the
 * other, up to the first with one that differs.
 *
 * @param place where to begin with the edges; it is moved on. Default: at the first.
 */
export async function compareDerived(
  context: LookContext,
  base: ItemKey,
  kind: ProjectedKind,
  consistent: boolean,
  place: EdgesPlace = {},
): Promise<Comparison> {
  const { graph, store } = context;
  // The base item first: what is derived from it may be newer by then, never older than it was.
  const { item } = await store.get(base, { consistent: true });
  const derived = derivedOf(graph, base.source, base.target, item, await sourceNodeOf(context, base));
  const copy = item === undefined ? undefined : await wantedCopy(context, kind);
  const stored = await storedItems(context, base, consistent);
  const view = stored.get(VIEW_KEY);
  const isUsed = context.usesView?.(view) ?? true;
  const differing: string[] = !isUsed || isViewAsWanted(view, base, kind, derived, copy) ? [] : [VIEW_KEY];
  for (const sortKey of new Set<string>([...stored.keys(), ...derived.indexItems.keys()])) {
    if (sortKey === VIEW_KEY) continue;
    if (!isAsWanted(stored.get(sortKey), derived.indexItems.get(sortKey))) differing.push(sortKey);
  }
  if (kind.kind === 'node') {
    const text = item === undefined ? '' : canonicalText({ M: item });
    if (place.node !== text)
      Object.assign(place, { node: text, edgeType: undefined, after: undefined, isAtEnd: false });
    differing.push(...(await differingEdges(context, base.source, item, { stored, consistent, place })));
  }
  const reverse = reverseOf(graph, base);
  if (reverse !== undefined) {
    const { item: storedReverse } = await store.get(reverse, { consistent });
    if (!isAsWanted(storedReverse, derived.reverse?.fields)) differing.push(`${reverse.source} ${reverse.target}`);
    stored.set(`${reverse.source} ${reverse.target}`, storedReverse);
  }
  return { problems: derived.problems, differing, revisions: revisionsOf(stored) };
}

/** The source node of an edge that it decides with; undefined where it does not. */
async function sourceNodeOf(
  { graph, store }: LookContext,
  { source, target }: ItemKey,
): Promise<SourceNode | undefined> {
  if (source === target || !needsSource(graph, target)) return undefined;
  return { item: (await store.get({ source, target: source }, { consistent: true })).item };
}

/** Edges in one page of a look. */
const EDGES_PAGE = 250;

/**
 * Keys of the index items of a node's edges that are not as the node wants them, of the first page with such; what was looked at
 * goes into `stored`.
 */
async function differingEdges(
  { graph, store }: LookContext,
  source: string,
  node: Item | undefined,
  look: { stored: Map<string, Item | undefined>; consistent: boolean; place: EdgesPlace },
): Promise<string[]> {
  const { stored, consistent, place } = look;
  if (place.isAtEnd) return [];
  const types = joinedTypesFrom(graph, parseNodeId(source)?.type ?? '');
  for (const type of types.slice(Math.max(0, types.indexOf(place.edgeType ?? '')))) {
    const startKey = place.edgeType === type ? place.after : undefined;
    place.edgeType = type;
    place.after = startKey;
    const request = {
      partition: source,
      sortKey: { beginsWith: `${type}-` },
      limit: EDGES_PAGE,
      startKey,
      consistent: true,
    };
    for await (const { items, lastKey } of pages(store, request)) {
      const differing: string[] = [];
      const edges = items.map((edge) => ({ edge, target: stringOf(edge[graph.table.sortKey]) ?? '' }));
      const keys = edges.flatMap(({ target }) => joinedKeysOf(graph, type, target));
      const { items: found } = await store.getMany(
        keys.map((target) => ({ source, target })),
        { consistent },
      );
      const wanted = new Map(
        edges.flatMap(({ edge, target }) => [...derivedOf(graph, source, target, edge, { item: node }).indexItems]),
      );
      for (const [i, key] of keys.entries()) {
        stored.set(key, found[i]);
        if (!isAsWanted(found[i], wanted.get(key))) differing.push(key);
      }
      if (differing.length > 0) return differing;
      place.after = lastKey;
    }
  }
  place.isAtEnd = true;
  return [];
}

/** Characters of a text that stands for revisions: a token holds it, and a node may have the items of thousands of edges. */
const REVISIONS_LENGTH = 16;

/** The revisions of items, as a short text. */
function revisionsOf(stored: ReadonlyMap<string, Item | undefined>): string {
  const revisions = [...stored].map(([key, item]) => {
    return [key, revisionOf(item) ?? '-'] as const;
  });
  const text = revisions
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, revision]) => revision)
    .join(' ');
  return text.length <= REVISIONS_LENGTH ? text : hash128(text).slice(0, REVISIONS_LENGTH);
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
  base: ItemKey,
  consistent: boolean,
): Promise<Map<string, Item | undefined>> {
  const { source } = base;
  const { keys: ofItems, prefixes } = placesOfBase(graph, base);
  const sortKeys: string[] = [VIEW_KEY, ...ofItems];
  const keys = sortKeys.map((sortKey) => ({ source, target: sortKey }));
  const { items } = await store.getMany(keys, { consistent });
  const stored = new Map(sortKeys.map((sortKey, i) => [sortKey, items[i]]));
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
