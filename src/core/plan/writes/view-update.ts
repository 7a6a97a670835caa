import { type Item, sameItem, stringOf } from '../../items/attribute-value.ts';
import {
  ATTRIBUTES,
  EDGE_SET,
  EVICTED,
  FENCE,
  MODEL,
  REVISION,
  unchangedCondition,
  WATERMARK,
} from '../../items/derived-item.ts';
import { escapedEdge, escapedEdgeOfElement } from '../../items/element.ts';
import { VIEW_KEY } from '../../items/keys.ts';
import { copiesByEdge, elementsByEdge, evictedTypes, hasEdgeSet, viewAttributes } from '../../items/stored-view.ts';
import { laterOf } from '../../items/watermark.ts';
import { copiesField, copiesWithElement, copyingEdge, type ParentCopies } from '../../kinds/copy.ts';
import { evictToBudget, viewBudgetBytes } from '../../kinds/eviction.ts';
import { shapeCondition, shapeOf } from '../../kinds/view.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import type { DerivedUpdate } from '../../store-port.ts';
import { fenceLimitMs, isFenced, isStale } from '../by-base.ts';
import type { EpochSeconds, Truth, ViewChange, ViewCorrections, ViewUnit } from '../unit.ts';
import { fieldsUpdate } from './index-update.ts';

/**
 * Plans the writes of views: pure functions from a unit to one conditional update. The slow path also needs the derived item as it
 * was read, and the truths that were read for it.
 */

/**
 * Makes the one update of the fast path. Returns undefined if the unit needs the item first: it adds and removes elements (DynamoDB
 * takes only one of ADD and DELETE for a set), or the node is deleted, which may leave a tombstone, or an edge copies from its
 * target, which must be read after the view.
 * @param evicted types that the view was last seen without: their edges change only `w` and `r`, if the marks are still there.
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
      ...{ kind: 'newer-than', watermark: unit.oldest, notEvicted: [...types], shape: shapeCondition(shape) },
      ...(left.size > 0 && { evicted: [...left] }),
      // rule: fast-path-stops-at-fence
      fenceBefore: fenceLimitMs(unit.records),
    },
  };
}

/**
 * Returns the changes whose records are stale and contradict the view. For each of them the base item has to be read, because
 * neither the record nor the view is known to be right.
 */
export function contradictingChanges(unit: ViewUnit, view: Item | undefined): ViewChange[] {
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
 * Makes the one update of the slow path: the view as it was read, with every change applied. A stale change is applied only if
 * `truths` (by base sort key) has a consistent read for it. The update always writes, at least the revision: otherwise a concurrent
 * worker with an older read could still write.
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
    const edge = escapedEdgeOfElement(element);
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
    // All elements of the edge are replaced, including elements that no record of the batch has.
    if (truth.element === undefined || evicted.has(change.edgeType)) elements.delete(edge);
    else elements.set(edge, [truth.element]);
  }
  // rule: view-watermark-never-falls
  const watermark = laterOf(stringOf(view?.[WATERMARK]), unit.newest);
  const copies = new Map([...copiesByEdge(view), ...parents]);
  return viewUpdate(graph, unit.source, view, { seen, elements, attributes, copies, evicted, watermark }, now);
}

/**
 * Makes the update that writes a parent's attributes into a child's view. It leaves the watermark, since no record of the child
 * causes it. It always writes, at least the revision, even if the view does not list the edge or does not exist: a concurrent
 * worker with an older read of the parent, which is about to add the edge, must fail.
 */
export function copyUpdate(
  graph: CompiledModel,
  child: string,
  view: Item | undefined,
  parents: ParentCopies,
  now: EpochSeconds,
): DerivedUpdate {
  const copies = new Map([...copiesByEdge(view), ...parents]);
  return viewUpdate(graph, child, view, { ...viewState(view), copies }, now);
}

/**
 * Makes the update that removes edge types from a view that exceeds its budget; undefined if it does not. It leaves the watermark:
 * the view has no new records.
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

/** The content to write into a view, and the elements that it has now. */
export interface ViewState {
  seen: readonly string[];
  elements: Map<string, string[]>;
  attributes: Item | undefined;
  copies: ParentCopies;
  evicted: ReadonlySet<string>;
  watermark: string;
}

/** Returns the actual content of a view. */
function viewState(view: Item | undefined): ViewState {
  const elements = elementsByEdge(view);
  return {
    seen: [...elements.values()].flat(),
    elements,
    attributes: viewAttributes(view),
    copies: copiesByEdge(view),
    evicted: evictedTypes(view),
    watermark: stringOf(view?.[WATERMARK]) ?? '',
  };
}

/** Makes the update from a view as it was read to its expected content, without what exceeds its budget. */
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
  const copies = copiesWithElement(graph, elements, allCopies);
  const evicted = evictToBudget(elements, copies, evictedBefore, rest, viewBudgetBytes(graph, source));
  const expected = [...elements.values()].flat();
  // A view with a mark is no tombstone: TTL would delete the mark with it, and the type would fill up again.
  // rule: only-an-empty-view-is-a-tombstone
  const isEmpty = expected.length === 0 && attributes === undefined && evicted.size === 0;
  return {
    key: { source, target: VIEW_KEY },
    ...(hasEdgeSet(view) ? setDifference(seen, expected) : expected.length > 0 && { setElements: expected }),
    ...fieldsUpdate(graph, stamp, isEmpty, watermark, now, {
      ...(!hasEdgeSet(view) && expected.length === 0 && { [EDGE_SET]: undefined }),
      [ATTRIBUTES]: attributes && { M: attributes },
      ...copiesField(view, copies),
      [EVICTED]: evicted.size > 0 ? { SS: [...evicted] } : undefined,
    }),
    // rule: view-is-written-under-the-revision-seen
    condition: unchangedCondition(view, graph.table.ttl),
  };
}

function keyItem({ table }: CompiledModel, source: string): Item {
  return { [table.partitionKey]: { S: source }, [table.sortKey]: { S: VIEW_KEY } };
}

/** A change that only adds or only removes elements lists just these, which is short. A mixed change sets the whole set. */
function setDifference(
  seen: readonly string[],
  expected: readonly string[],
): Pick<DerivedUpdate, 'addElements' | 'deleteElements' | 'setElements'> {
  const seenSet = new Set(seen);
  const wantedSet = new Set(expected);
  const added = expected.filter((element) => !seenSet.has(element));
  const removed = seen.filter((element) => !wantedSet.has(element));
  if (added.length > 0 && removed.length > 0) return { setElements: expected };
  return { addElements: added, deleteElements: removed };
}
