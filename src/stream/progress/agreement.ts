import { canonicalText, type Item, sameItem, stringOf } from '../../core/items/attribute-value.ts';
import { AFTER, revisionOf } from '../../core/items/derived-item.ts';
import { escapedEdge } from '../../core/items/element.ts';
import { hash128, parseNodeId, VIEW_KEY } from '../../core/items/keys.ts';
import { copiesByEdge, elementsByEdge, evictedTypes, viewAttributes } from '../../core/items/stored-view.ts';
import { copyOf } from '../../core/kinds/copy.ts';
import { type Derived, expectedFields } from '../../core/kinds/derived.ts';
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
import { byKey } from '../../foundation/entries.ts';
import type { ProjectionsInForce } from '../../registry/projections-in-force.ts';

/** Whether everything derived from a base item is as expected, and the revisions of the derived items. */
export interface Agreement {
  agrees: boolean;
  revisions: string;
}

export interface Comparison extends Pick<Derived, 'problems'> {
  differing: string[];
  revisions: string;
}

export type ProjectedKind = Extract<KeyKind, { kind: 'node' | 'part' | 'edge' | 'hashed' }>;

export function isProjectedKind(kind: KeyKind): kind is ProjectedKind {
  return kind.kind !== 'unknown' && kind.kind !== 'misfit';
}

export interface AgreementContext {
  graph: CompiledModel;
  store: Store;
  /** False if reads derive the view from base items, so that an outdated view doesn't matter. Default: true. */
  usesView?: ((view: Item | undefined) => boolean) | undefined;
}

/** A wait needn't compare earlier edges again, because a change that has reached an edge's item isn't undone. */
export interface EdgesPlace {
  node?: string;
  edgeType?: string;
  after?: Item | undefined;
  isAtEnd?: boolean;
}

interface ComparisonOptions {
  consistent?: boolean;
  /** Moved forward by the comparison. */
  place?: EdgesPlace;
}

export async function agreementOf(context: AgreementContext, base: ItemKey): Promise<Agreement> {
  const kind = classifyKey(context.graph, base.source, base.target);
  if (!isProjectedKind(kind)) return { agrees: true, revisions: '' };
  const { differing, revisions } = await compareDerived(context, base, kind);
  return { agrees: differing.length === 0, revisions };
}

export async function hasFannedOut({ graph, store }: AgreementContext, { source, target }: ItemKey): Promise<boolean> {
  const fanOuts = fanOutsOf(graph, { source, target });
  if (fanOuts.length === 0) return true;
  const { items } = await store.getMany(
    fanOuts.map(({ sortKey }) => ({ source, target: sortKey })),
    { consistent: true },
  );
  return items.every((item) => item?.[AFTER] === undefined);
}

async function compareDerived(
  context: AgreementContext,
  base: ItemKey,
  kind: ProjectedKind,
  { consistent = true, place = {} }: ComparisonOptions = {},
): Promise<Comparison> {
  const { graph, store } = context;
  // The base item is read first, so that consistently read derived items may be newer, but never older.
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

export async function compareInForce(
  { store, projections }: { store: Store; projections: ProjectionsInForce },
  base: ItemKey,
  kind: ProjectedKind,
  options?: ComparisonOptions,
): Promise<Comparison> {
  const usesView = (view: Item | undefined): boolean => projections.usesView(base.source, view);
  return await compareDerived({ graph: projections.model, store, usesView }, base, kind, options);
}

async function sourceNodeOfEdge(
  context: AgreementContext,
  { source, target }: ItemKey,
): Promise<SourceNode | undefined> {
  if (source === target || !needsSource(context.graph, target)) return undefined;
  return completeSourceNode(context, { source, target: '' }, undefined);
}

async function completeSourceNode(
  { graph, store }: AgreementContext,
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

const EDGES_PAGE = 250;

/** Stops after the first page with a difference. Adds everything read to `stored`. */
async function differingEdges(
  { graph, store }: AgreementContext,
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

/** Longer strings are hashed, because they become part of a token, and a node may have thousands of edges. */
const REVISIONS_LENGTH = 16;

function revisionsOf(stored: ReadonlyMap<string, Item | undefined>): string {
  const text = [...stored]
    .sort(byKey)
    .map(([, item]) => revisionOf(item) ?? '-')
    .join(' ');
  return text.length <= REVISIONS_LENGTH ? text : hash128(text).slice(0, REVISIONS_LENGTH);
}

async function expectedCopy({ graph, store }: AgreementContext, kind: ProjectedKind): Promise<Item | undefined> {
  if (kind.kind !== 'edge' || kind.edge.copy === undefined) return undefined;
  const { item } = await store.get({ source: kind.target, target: kind.target }, { consistent: true });
  return copyOf(graph, kind.edge, item);
}

async function storedItems(
  { graph, store }: AgreementContext,
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
  if (evictedTypes(view).has(kind.edge.type)) return true;
  if (!sameItem(copiesByEdge(view).get(base.target), copy)) return false;
  const elements = elementsByEdge(view).get(escapedEdge(base.target)) ?? [];
  return element === undefined ? elements.length === 0 : elements.length === 1 && elements[0] === element;
}
