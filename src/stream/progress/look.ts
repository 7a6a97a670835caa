import { canonicalText, type Item, sameItem, stringOf } from '../../core/items/attribute-value.ts';
import { AFTER, revisionOf } from '../../core/items/derived-item.ts';
import { escapedEdge } from '../../core/items/element.ts';
import { hash128, parseNodeId, VIEW_KEY } from '../../core/items/keys.ts';
import { copiesByEdge, elementsByEdge, evictedTypes, viewAttributes } from '../../core/items/stored-view.ts';
import { copyOf } from '../../core/kinds/copy.ts';
import type { Derived } from '../../core/kinds/derived.ts';
import { expectedFields } from '../../core/kinds/derived.ts';
import { keysInTarget } from '../../core/kinds/in-target.ts';
import { joinedKeysOf } from '../../core/kinds/joined.ts';
import { classifyKey, type KeyKind } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import {
  isPartOfSource,
  joinedTypesFrom,
  needsSource,
  type SourceNode,
  sourceNodeKeys,
  sourceNodeOf,
} from '../../core/model/joined.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import { fanOutsOf } from '../../core/plan/fan-out.ts';
import { indexItemKeysOf } from '../../core/plan/index-item-keys.ts';
import { hasExpectedFields } from '../../core/plan/writes/item-update.ts';
import { queriedItems, queryPages } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import type { ProjectionsInForce } from '../../registry/projections-in-force.ts';

/** One look at a base item and what is derived from it: whether all of it agrees, and the revisions of what is there. */
export interface Look {
  agrees: boolean;
  revisions: string;
}

/** A base item compared with the items that are derived from it. */
export interface Comparison extends Pick<Derived, 'problems'> {
  /** Keys of derived items that are not as the base item wants them. */
  differing: string[];
  revisions: string;
}

/** The kind of a base item that the model projects. */
export type ProjectedKind = Extract<KeyKind, { kind: 'node' | 'part' | 'edge' | 'hashed' }>;

/** Tells whether the model projects a base item of this kind. */
export function isProjectedKind(kind: KeyKind): kind is ProjectedKind {
  return kind.kind !== 'unknown' && kind.kind !== 'misfit';
}

/** The model and the table that a look needs. */
export interface LookContext {
  graph: CompiledModel;
  store: Store;
  /** Tells whether reads use a view. Otherwise they derive it from the base items, which are always up to date. */
  usesView?: ((view: Item | undefined) => boolean) | undefined;
}

/**
 * How far the edges of a source node have been compared with it: those before the place agree with this image of the node. A change that
 * has reached an edge's item is not taken back, so a wait need not look at them again.
 */
export interface EdgesPlace {
  node?: string;
  edgeType?: string;
  after?: Item | undefined;
  isAtEnd?: boolean;
}

/** Looks at a base item, consistently. An item that the model does not project agrees: nothing is derived from it. */
export async function lookAt(context: LookContext, base: ItemKey): Promise<Look> {
  const kind = classifyKey(context.graph, base.source, base.target);
  if (!isProjectedKind(kind)) return { agrees: true, revisions: '' };
  const { differing, revisions } = await compareDerived(context, base, kind, true);
  return { agrees: differing.length === 0, revisions };
}

/** Tells whether each fan-out of a node's changes is complete: no page of one is left. */
export async function hasFannedOut({ graph, store }: LookContext, { source, target }: ItemKey): Promise<boolean> {
  const fanOuts = fanOutsOf(graph, { source, target });
  if (fanOuts.length === 0) return true;
  const { items } = await store.getMany(
    fanOuts.map(({ sortKey }) => ({ source, target: sortKey })),
    { consistent: true },
  );
  return items.every((item) => item?.[AFTER] === undefined);
}

/**
 * Compares what is derived from a base item with a consistent read of it. For a source node it reads the edges page by page,
 * up to the first page with an edge that differs.
 *
 * @param place where to begin with the edges; it is moved on. Default: at the first.
 */
async function compareDerived(
  context: LookContext,
  base: ItemKey,
  kind: ProjectedKind,
  consistent: boolean,
  place: EdgesPlace = {},
): Promise<Comparison> {
  const { graph, store } = context;
  // The base item first: what is derived from it may be newer by then, never older than it was.
  const { item } = await store.get(base, { consistent: true });
  const derived = derivedOf(graph, base.source, base.target, item, await sourceNodeOfEdge(context, base));
  const copy = derived.element === undefined ? undefined : await expectedCopy(context, kind);
  const stored = await storedItems(context, base, consistent);
  const view = stored.get(VIEW_KEY);
  const isUsed = context.usesView?.(view) ?? true;
  const differing: string[] = !isUsed || isViewAsExpected(view, base, kind, derived, copy) ? [] : [VIEW_KEY];
  for (const sortKey of new Set<string>([...stored.keys(), ...derived.indexItems.keys()])) {
    if (sortKey === VIEW_KEY) continue;
    if (!hasExpectedFields(stored.get(sortKey), derived.indexItems.get(sortKey))) differing.push(sortKey);
  }
  if (kind.kind === 'node' || isPartOfSource(graph, base.source, base.target)) {
    const node = await completeSourceNode(context, base, item);
    const text = node.item === undefined ? '' : canonicalText({ M: node.item });
    if (place.node !== text)
      Object.assign(place, { node: text, edgeType: undefined, after: undefined, isAtEnd: false });
    differing.push(...(await differingEdges(context, base.source, node, { stored, consistent, place })));
  }
  for (const key of keysInTarget(graph, base, item)) {
    const { item: inTarget } = await store.get(key, { consistent });
    const name = `${key.source} ${key.target}`;
    if (!hasExpectedFields(inTarget, expectedFields(derived, key.target))) differing.push(name);
    stored.set(name, inTarget);
  }
  return { problems: derived.problems, differing, revisions: revisionsOf(stored) };
}

/** Compares a base item with what is derived from it, as `compareDerived` does, where reads use it. */
export async function compareInForce(
  { store, projections }: { store: Store; projections: ProjectionsInForce },
  base: ItemKey,
  kind: ProjectedKind,
  consistent: boolean,
  place?: EdgesPlace,
): Promise<Comparison> {
  const usesView = (view: Item | undefined): boolean => projections.usesView(base.source, view);
  return await compareDerived({ graph: projections.model, store, usesView }, base, kind, consistent, place);
}

/** The source node of an edge that it decides with; undefined where it does not. */
async function sourceNodeOfEdge(context: LookContext, { source, target }: ItemKey): Promise<SourceNode | undefined> {
  if (source === target || !needsSource(context.graph, target)) return undefined;
  return completeSourceNode(context, { source, target: '' }, undefined);
}

/** The source node; `item` is the one of its pieces that is read already, under the key `read`. */
async function completeSourceNode(
  { graph, store }: LookContext,
  read: ItemKey,
  item: Item | undefined,
): Promise<SourceNode> {
  const { source, target } = read;
  const keys = sourceNodeKeys(graph, source);
  const open = keys.filter((key) => key !== target);
  const { items } = await store.getMany(
    open.map((key) => ({ source, target: key })),
    { consistent: true },
  );
  const pieces = new Map([[target, item], ...open.map((key, i) => [key, items[i]] as const)]);
  return sourceNodeOf(
    graph,
    source,
    keys.map((key) => pieces.get(key)),
  );
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
  node: SourceNode,
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
    for await (const { items, lastKey } of queryPages(store, request)) {
      const differing: string[] = [];
      const edges = items.map((edge) => ({ edge, target: stringOf(edge[graph.table.sortKey]) ?? '' }));
      const keys = edges.flatMap(({ target }) => joinedKeysOf(graph, type, target));
      const { items: found } = await store.getMany(
        keys.map((target) => ({ source, target })),
        { consistent },
      );
      const expected = new Map(
        edges.flatMap(({ edge, target }) => [...derivedOf(graph, source, target, edge, node).indexItems]),
      );
      for (const [i, key] of keys.entries()) {
        stored.set(key, found[i]);
        if (!hasExpectedFields(found[i], expected.get(key))) differing.push(key);
      }
      if (differing.length > 0) return differing;
      place.after = lastKey;
    }
  }
  place.isAtEnd = true;
  return [];
}

/** The most characters of a text of revisions: a token holds the text, and a node may have the items of thousands of edges. */
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

/** The attributes that an edge copies from its target, by a consistent read; undefined where there is no target or no copy. */
async function expectedCopy({ graph, store }: LookContext, kind: ProjectedKind): Promise<Item | undefined> {
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
  const itemKeys = indexItemKeysOf(graph, base);
  const sortKeys: string[] = [VIEW_KEY, ...itemKeys.flatMap(({ key, isPrefix }) => (isPrefix ? [] : [key]))];
  const keys = sortKeys.map((sortKey) => ({ source, target: sortKey }));
  const { items } = await store.getMany(keys, { consistent });
  const stored = new Map(sortKeys.map((sortKey, i) => [sortKey, items[i]]));
  for (const { key: beginsWith, isPrefix } of itemKeys) {
    if (!isPrefix) continue;
    const items = queriedItems(store, { partition: source, sortKey: { beginsWith }, consistent });
    for await (const item of items) stored.set(stringOf(item[graph.table.sortKey])!, item);
  }
  return stored;
}

function isViewAsExpected(
  view: Item | undefined,
  base: ItemKey,
  kind: ProjectedKind,
  { element, attributes }: Derived,
  copy: Item | undefined,
): boolean {
  if (kind.kind === 'part') return true;
  if (kind.kind === 'node') return sameItem(viewAttributes(view), attributes);
  // An evicted type is read from the base edges: it is up to date at any time.
  if (evictedTypes(view).has(kind.edge.type)) return true;
  if (!sameItem(copiesByEdge(view).get(base.target), copy)) return false;
  const elements = elementsByEdge(view).get(escapedEdge(base.target)) ?? [];
  return element === undefined ? elements.length === 0 : elements.length === 1 && elements[0] === element;
}
