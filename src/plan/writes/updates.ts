import { type Item, sameItem, stringOf } from '../../items/attribute-value.ts';
import {
  ATTRIBUTES,
  EDGE_SET,
  EVICTED,
  FENCE,
  INDEX_ITEM_FIELDS,
  MODEL,
  REVISION,
  TOMBSTONE_HOURS,
  unchanged,
  WATERMARK,
} from '../../items/derived-item.ts';
import { elementEdge, escapedEdge } from '../../items/element.ts';
import { VIEW_KEY } from '../../items/keys.ts';
import { elementsByEdge, evictedTypes, hasEdgeSet, viewAttributes, viewCopies } from '../../items/stored-view.ts';
import { laterOf } from '../../items/watermark.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import type { DerivedUpdate } from '../../store/port.ts';
import { copiesField, copyingEdge, keptCopies, type ParentCopies } from '../copies.ts';
import { conditionOf, shapeOf } from '../shape.ts';
import type { EpochSeconds, IndexUnit, Truth, ViewChange, ViewCorrections, ViewUnit } from '../unit.ts';
import { evictToBudget, viewBudgetBytes } from './eviction.ts';
import { beyondFences, isFenced, isStale } from './stale.ts';

/**
 * What has to be written for a unit: pure functions from a unit, and on the slow path from the derived item as it was
 * seen and the truths read for it, to one conditional update.
 */

/**
 * The one update of the fast path, or undefined where a unit has to see the item first: it both adds and removes
 * elements (DynamoDB takes only one of ADD and DELETE for a set), or the node goes, which may leave a tombstone, or an edge
 * copies of its target, which is read after the view.
 * @param evicted types that the view was last seen without: their edges move only `w` and `r`, if the marks are still there.
 */
export function fastViewUpdate(
  graph: CompiledModel,
  unit: ViewUnit,
  evicted?: ReadonlySet<string>,
): DerivedUpdate | undefined {
  const added: string[] = [];
  const removed: string[] = [];
  const types = new Set<string>();
  const left = new Set<string>();
  const shape = shapeOf(graph, unit.source);
  // rule: fast-write-moves-watermark
  const set: Item = { [WATERMARK]: { S: unit.newest }, [MODEL]: { S: shape?.stamp ?? graph.fingerprint } };
  for (const change of unit.changes) {
    if (change.byBase === true) return undefined;
    if (change.edgeType === undefined) {
      // rule: node-that-goes-needs-the-view
      if (change.attributes === undefined) return undefined;
      set[ATTRIBUTES] = { M: change.attributes };
      continue;
    }
    const isLeft = evicted?.has(change.edgeType) === true;
    (isLeft ? left : types).add(change.edgeType);
    if (isLeft) continue;
    if (copyingEdge(graph, change.target) !== undefined) return undefined;
    if (change.element !== undefined) added.push(change.element);
    for (const element of change.mentioned) if (element !== change.element) removed.push(element);
    if (added.length > 0 && removed.length > 0) return undefined;
  }
  return {
    key: { source: unit.source, target: VIEW_KEY },
    set,
    // rule: fast-write-removes-expiry
    unset: [graph.table.ttl],
    addElements: added,
    deleteElements: removed,
    condition: {
      // rule: fast-path-is-for-newer-records
      // rule: fast-path-spares-evicted-types
      ...{ kind: 'newer-than', watermark: unit.oldest, notEvicted: [...types], shape: conditionOf(shape) },
      ...(left.size > 0 && { evicted: [...left] }),
      // rule: fast-path-stops-at-fence
      fenceBefore: beyondFences(unit.records),
    },
  };
}

/**
 * The changes whose records are older than the view and say otherwise than it does: for each of them the base item has
 * to be read, since neither the record nor the view can be told to be right.
 */
export function contradictions(unit: ViewUnit, view: Item | undefined): ViewChange[] {
  const isAllStale = isFenced(unit.records, view);
  const stale = unit.changes.filter(({ oldest, byBase }) => isAllStale || isStale(oldest, view) || byBase === true);
  if (stale.length === 0) return [];
  const present = elementsByEdge(view);
  const evicted = evictedTypes(view);
  return stale.filter((change) => {
    if (change.byBase === true) return true;
    // rule: node-can-contradict-the-view
    if (change.edgeType === undefined) return !sameItem(viewAttributes(view), change.attributes);
    if (evicted.has(change.edgeType)) return false;
    const elements = present.get(escapedEdge(change.target)) ?? [];
    return change.element === undefined ? elements.length > 0 : elements.length !== 1 || elements[0] !== change.element;
  });
}

/**
 * The one update of the slow path: the view as seen, with every change applied, stale ones only where `truths` (by base
 * sort key) has a consistent read for them. It always writes, at least the revision: else a
 * concurrent worker that holds an older read could still write.
 */
export function slowViewUpdate(
  graph: CompiledModel,
  unit: ViewUnit,
  view: Item | undefined,
  truths: ReadonlyMap<string, Truth>,
  now: EpochSeconds,
  parents: ParentCopies = new Map(),
  corrections: ViewCorrections = {},
): DerivedUpdate {
  const evicted = new Set([...evictedTypes(view)].filter((type) => corrections.unmark?.has(type) !== true));
  const elements = elementsByEdge(view);
  const seen = [...elements.values()].flat();
  for (const element of corrections.drop ?? []) {
    const edge = elementEdge(element);
    elements.set(edge, elements.get(edge)?.filter((kept) => kept !== element) ?? []);
  }
  let attributes = viewAttributes(view);
  const isAllStale = isFenced(unit.records, view);
  for (const change of unit.changes) {
    // rule: stale-record-needs-a-truth
    const truth = truths.get(change.target) ?? (isAllStale || isStale(change.oldest, view) ? undefined : change);
    if (truth === undefined) continue;
    if (change.edgeType === undefined) {
      // rule: stored-attributes-are-replaced
      attributes = truth.attributes;
      continue;
    }
    const edge = escapedEdge(change.target);
    // Whatever elements the edge has go, also ones that no record of the batch mentions.
    if (truth.element === undefined || evicted.has(change.edgeType)) elements.delete(edge);
    else elements.set(edge, [truth.element]);
  }
  // rule: view-watermark-never-falls
  const watermark = laterOf(stringOf(view?.[WATERMARK]), unit.newest);
  const copies = new Map([...viewCopies(view), ...parents]);
  return viewUpdate(graph, unit.source, view, { seen, elements, attributes, copies, evicted, watermark }, now);
}

/**
 * The update that brings a parent's attributes into a child's view. It changes no watermark, since it is made of no record
 * of the child, and it always writes, at least the revision, also where the edge is not in the view or no view is there: the
 * write of a worker that has read the parent before, and is about to add the edge, must find the view changed.
 */
export function copyUpdate(
  graph: CompiledModel,
  child: string,
  view: Item | undefined,
  parents: ParentCopies,
  now: EpochSeconds,
): DerivedUpdate {
  const copies = new Map([...viewCopies(view), ...parents]);
  return viewUpdate(graph, child, view, { ...viewState(view), copies }, now);
}

/**
 * The update that takes edge types out of a view that is beyond its budget, or undefined where it is not. It changes no
 * watermark: what the view says of records stays as it was.
 */
export function evictionUpdate(
  graph: CompiledModel,
  source: string,
  view: Item,
  now: EpochSeconds,
): DerivedUpdate | undefined {
  const state = viewState(view);
  const update = viewUpdate(graph, source, view, state, now);
  return evictedTypes(update.set).size === state.evicted.size ? undefined : update;
}

/** What a view shall hold, and the elements that it holds. */
export interface ViewState {
  seen: readonly string[];
  elements: Map<string, string[]>;
  attributes: Item | undefined;
  copies: ParentCopies;
  evicted: ReadonlySet<string>;
  watermark: string;
}

/** A view as it is. */
function viewState(view: Item | undefined): ViewState {
  const elements = elementsByEdge(view);
  return {
    seen: [...elements.values()].flat(),
    elements,
    attributes: viewAttributes(view),
    copies: viewCopies(view),
    evicted: evictedTypes(view),
    watermark: stringOf(view?.[WATERMARK]) ?? '',
  };
}

/** The update of a view as it was seen to what it shall hold, less what is beyond its budget. */
export function viewUpdate(
  graph: CompiledModel,
  source: string,
  view: Item | undefined,
  { seen, elements, attributes, copies: allCopies, evicted: evictedBefore, watermark }: ViewState,
  now: EpochSeconds,
): DerivedUpdate {
  const stamp = shapeOf(graph, source)?.stamp ?? graph.fingerprint;
  const rest: Item = {
    ...keyItem(graph, source),
    [WATERMARK]: { S: watermark },
    [REVISION]: { N: '1' },
    [MODEL]: { S: stamp },
    ...(view?.[FENCE] && { [FENCE]: view[FENCE] }),
    ...(attributes && { [ATTRIBUTES]: { M: attributes } }),
  };
  const copies = keptCopies(graph, elements, allCopies);
  const evicted = evictToBudget(elements, copies, evictedBefore, rest, viewBudgetBytes(graph, source));
  const wanted = [...elements.values()].flat();
  // A view with a mark is no tombstone: TTL would take the mark away and the type would fill up again.
  // rule: only-an-empty-view-is-a-tombstone
  const isEmpty = wanted.length === 0 && attributes === undefined && evicted.size === 0;
  return {
    key: { source, target: VIEW_KEY },
    ...(hasEdgeSet(view) ? setDifference(seen, wanted) : wanted.length > 0 && { setElements: wanted }),
    ...withFields(graph, stamp, isEmpty, watermark, now, {
      ...(!hasEdgeSet(view) && wanted.length === 0 && { [EDGE_SET]: undefined }),
      [ATTRIBUTES]: attributes && { M: attributes },
      ...copiesField(view, copies),
      [EVICTED]: evicted.size > 0 ? { SS: [...evicted] } : undefined,
    }),
    // rule: view-is-written-under-the-revision-seen
    condition: unchanged(view, graph.table.ttl),
  };
}

function keyItem({ table }: CompiledModel, source: string): Item {
  return { [table.partitionKey]: { S: source }, [table.sortKey]: { S: VIEW_KEY } };
}

/** Elements that only come, or only go, travel as such, which is short; a mixture is set whole. */
function setDifference(
  seen: readonly string[],
  wanted: readonly string[],
): Pick<DerivedUpdate, 'addElements' | 'deleteElements' | 'setElements'> {
  const seenSet = new Set(seen);
  const wantedSet = new Set(wanted);
  const added = wanted.filter((element) => !seenSet.has(element));
  const removed = seen.filter((element) => !wantedSet.has(element));
  if (added.length > 0 && removed.length > 0) return { setElements: wanted };
  return { addElements: added, deleteElements: removed };
}

/** The fields of a derived item: defined ones are set, the others removed; an empty item becomes a tombstone. */
function withFields(
  graph: CompiledModel,
  stamp: string,
  isTombstone: boolean,
  watermark: string,
  now: EpochSeconds,
  fields: Record<string, Item[string] | undefined>,
): Pick<DerivedUpdate, 'set' | 'unset'> {
  // rule: seen-write-moves-watermark
  const set: Item = { [WATERMARK]: { S: watermark }, [MODEL]: { S: stamp } };
  const unset: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    // rule: fields-not-expected-are-cleared
    if (value === undefined) unset.push(name);
    else set[name] = value;
  }
  // Every write that is not a tombstone takes the expiry away, or TTL would bury a live item.
  // rule: only-a-tombstone-expires
  if (isTombstone) set[graph.table.ttl] = { N: String(now + TOMBSTONE_HOURS * 3600) };
  else unset.push(graph.table.ttl);
  return { set, unset };
}

/** The first, unread update of an index unit: all of its fields, or none and a tombstone. */
export function indexUpdate(graph: CompiledModel, unit: IndexUnit, now: EpochSeconds): DerivedUpdate {
  return {
    key: { source: unit.source, target: unit.sortKey },
    ...withFields(graph, graph.fingerprint, unit.wanted === undefined, unit.newest, now, indexFields(unit.wanted)),
    // rule: unseen-index-item-takes-newer-records
    // rule: unseen-index-item-stops-at-fence
    condition: { kind: 'newer-than', watermark: unit.newest, fenceBefore: beyondFences(unit.records) },
  };
}

/** The update of an index item that was seen and is settled by what the base item wants. */
export function settledIndexUpdate(
  graph: CompiledModel,
  unit: IndexUnit,
  current: Item | undefined,
  wanted: Item | undefined,
  now: EpochSeconds,
): DerivedUpdate {
  // rule: index-item-watermark-never-falls
  const watermark = laterOf(stringOf(current?.[WATERMARK]), unit.newest);
  return {
    key: { source: unit.source, target: unit.sortKey },
    ...withFields(graph, graph.fingerprint, wanted === undefined, watermark, now, indexFields(wanted)),
    // The tombstone of an edge that lives may have expired: records of its node come at any time.
    // rule: index-item-is-written-under-the-revision-seen
    condition: unchanged(current, graph.table.ttl),
  };
}

/** Whether an index item, as stored, is what is wanted; an absent item and a tombstone are alike. */
export function isAsWanted(stored: Item | undefined, wanted: Item | undefined): boolean {
  const present: Item = {};
  for (const name of INDEX_ITEM_FIELDS) if (stored?.[name] !== undefined) present[name] = stored[name];
  return sameItem(present, wanted ?? {});
}

function indexFields(wanted: Item | undefined): Record<string, Item[string] | undefined> {
  return Object.fromEntries(INDEX_ITEM_FIELDS.map((name) => [name, wanted?.[name]]));
}
