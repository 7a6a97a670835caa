import { type Item, sameItem, stringOf } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { AFTER, AGAIN, MODEL, revisionOf, tombstoneExpiry, unchangedCondition } from '../items/derived-item.ts';
import { compareKeys } from '../items/encoding.ts';
import { parseNodeId, requireDerivedSortKey } from '../items/keys.ts';
import { hasFanOuts } from '../kinds/continuation.ts';
import { copyingTypes, copyOf } from '../kinds/copy.ts';
import { sameShare, sourceShare } from '../kinds/parts/joined-items.ts';
import { nodeSubject, type Subject } from '../kinds/parts/subject.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import { isNodeThere } from '../model/gone.ts';
import {
  isPartOfSource,
  joinedEdgeTypes,
  joinedTypesFrom,
  partAttributesAsSource,
  sourceNodeKeys,
} from '../model/joined.ts';
import { type FanOutOf, FanOutPlaces, fanOutOfKey } from '../model/projection/places.ts';
import type { DerivedUpdate, ItemKey } from '../store-port.ts';
import type { ContinuationTouch, FanOutTouch } from './touch.ts';
import { edgeItemsPlan } from './type-plans.ts';
import type { EpochSeconds } from './writes/item-update.ts';

const NONE: readonly never[] = [];

/**
 * A fan-out updates items that depend on a changed node, page by page. After the first page, the stream records of a
 * continuation in the node's partition drive the next pages. Records of other derived items don't cause writes.
 */

/**
 * Returns a fan-out for each edge type that copies a changed attribute, and for each with joined items that use one. If
 * the record lacks an image, returns all that the item may need.
 */
export function touchedFanOuts(graph: CompiledModel, record: ChangeRecord): readonly FanOutTouch[] {
  const { source, target, oldImage: before, newImage: after } = record;
  if (!hasFanOuts(graph)) return NONE;
  const isPart = source !== target && isPartOfSource(graph, source, target);
  if (source !== target && !isPart) return NONE;
  if (record.isPartial === true) return fanOutsOf(graph, record);
  const joined = joinedTypesFrom(graph, parseNodeId(source)?.type ?? '');
  if (isPart) {
    const asSource = (image: Item | undefined): Item => partAttributesAsSource(graph, source, target, image);
    const changed = joined.filter((type) => !givesSameShares(graph, source, type, asSource(before), asSource(after)));
    return changed.map((type) => fanOutTouch('joined', source, type));
  }
  const isThereAsBefore = sameExistence(graph, source, before, after) || !dependsOnParts(graph, source);
  const copying = copyingTypes(graph, source).filter(
    (edge) => !sameItem(copyOf(graph, edge, before), copyOf(graph, edge, after)),
  );
  const changed = joined.filter((type) => !isThereAsBefore || !givesSameShares(graph, source, type, before, after));
  return [
    ...copying.map(({ type }) => fanOutTouch('copies', source, type)),
    ...changed.map((type) => fanOutTouch('joined', source, type)),
  ];
}

export function fanOutsOf(graph: CompiledModel, { source, target }: Pick<ItemKey, 'source' | 'target'>): FanOutTouch[] {
  const isNode = source === target;
  if (!isNode && !isPartOfSource(graph, source, target)) return [];
  return [
    ...(isNode ? copyingTypes(graph, source) : []).map(({ type }) => fanOutTouch('copies', source, type)),
    ...joinedTypesFrom(graph, parseNodeId(source)?.type ?? '').map((type) => fanOutTouch('joined', source, type)),
  ];
}

function fanOutTouch(of: FanOutOf, source: string, edgeType: string): FanOutTouch {
  return { kind: 'fan-out', of, source, sortKey: new FanOutPlaces(edgeType).continuation(of), edgeType, records: [] };
}

function sameExistence(graph: CompiledModel, id: string, before: Item | undefined, after: Item | undefined): boolean {
  return layersOf(graph).every((layer) => isNodeThere(layer, id, before) === isNodeThere(layer, id, after));
}

function dependsOnParts(graph: CompiledModel, source: string): boolean {
  return sourceNodeKeys(graph, source).length > 1;
}

/**
 * Returns the touch that continues a fan-out. If nothing in the registry needs the fan-out, the touch ends it, because
 * a later projection would mistake the fan-out for its own.
 */
export function continuationTouch(graph: CompiledModel, record: ChangeRecord): ContinuationTouch | undefined {
  const { source, target } = record;
  const fanOut = fanOutOfKey(target);
  if (fanOut === undefined) return undefined;
  const { of, edgeType } = fanOut;
  const isOpen = record.isPartial === true || stringOf(record.newImage?.[AFTER]) !== undefined;
  const isKept = of === 'copies' ? graph.edges.get(edgeType)?.copy !== undefined : joinedEdgeTypes(graph).has(edgeType);
  // Without a registry, consumers of another model may need the fan-out.
  // rule: continuation-that-nothing-needs-is-ended
  const isEnding = !isKept && graph.shapes !== undefined && target === new FanOutPlaces(edgeType).continuation(of);
  // rule: continuation-drives-the-next-page
  if (!isOpen || !(isKept || isEnding)) return undefined;
  const revision = revisionOf(record.newImage);
  const sortKey = requireDerivedSortKey(target);
  const records = [record];
  return {
    kind: 'continuation',
    isEnding,
    of,
    source,
    sortKey,
    edgeType,
    records,
    ...(record.isPartial !== true && { revision }),
  };
}

/**
 * Begins a fan-out. If one is running, it continues to its end, however often the node changes; these changes together
 * request one more round, from the earliest place. Each change also writes the continuation again, which restarts a
 * fan-out whose last record was lost.
 */
export function beginContinuationUpdate(
  graph: CompiledModel,
  touch: FanOutTouch,
  current: Item | undefined,
  after: string,
): DerivedUpdate {
  const underWay = stringOf(current?.[AFTER]);
  const toCome = stringOf(current?.[AGAIN]);
  // rule: change-begins-the-continuation-again
  const again = underWay === undefined ? undefined : earlierPlace(earlierPlace(after, underWay), toCome);
  return {
    key: { source: touch.source, target: touch.sortKey },
    set: {
      [AFTER]: { S: underWay ?? after },
      ...(again !== undefined && { [AGAIN]: { S: again } }),
      [MODEL]: { S: graph.fingerprint },
    },
    // rule: continuation-in-progress-does-not-expire
    unset: [graph.table.ttl, ...(again === undefined && toCome !== undefined ? [AGAIN] : [])],
    condition: unchangedCondition(current, graph.table.ttl),
  };
}

function earlierPlace(place: string, inProgress: string | undefined): string {
  // rule: continuation-keeps-the-earlier-place
  return inProgress === undefined || compareKeys(place, inProgress) < 0 ? place : inProgress;
}

/**
 * Moves a continuation to the next place. At the end, it begins the round that changes have requested, or becomes a
 * tombstone.
 */
export function moveContinuationUpdate(
  graph: CompiledModel,
  { source, sortKey }: ContinuationTouch,
  item: Item,
  after: string | undefined,
  now: EpochSeconds,
): DerivedUpdate {
  const again = stringOf(item[AGAIN]);
  const expiry: Item = { [graph.table.ttl]: tombstoneExpiry(now) };
  // rule: change-during-a-fan-out-gets-a-round
  const place = after ?? again;
  return {
    key: { source, target: sortKey },
    set: { [MODEL]: { S: graph.fingerprint }, ...(place === undefined ? expiry : { [AFTER]: { S: place } }) },
    unset: [
      place === undefined ? AFTER : graph.table.ttl,
      ...(after === undefined && again !== undefined ? [AGAIN] : []),
    ],
    // rule: continuation-moves-from-the-revision-of-its-record
    condition: { kind: 'revision', revision: revisionOf(item) },
  };
}

/**
 * Writes the same place again, so that another record drives the fan-out. The fan-out isn't ended, because its last
 * record may just be late. A fan-out with an impossible place starts again. A continuation that isn't open becomes a
 * tombstone.
 */
export function continueFanOutUpdate(
  graph: CompiledModel,
  key: ItemKey,
  current: Item | undefined,
  now: EpochSeconds,
): DerivedUpdate {
  const { of, edgeType } = fanOutOfKey(key.target)!;
  const first = new FanOutPlaces(edgeType).visitedPrefix(of);
  const placeAt = (name: string): Item => {
    const stored = stringOf(current?.[name]);
    if (current?.[name] === undefined) return {};
    return { [name]: { S: stored?.startsWith(first) === true ? stored : first } };
  };
  const stamp: Item = { [MODEL]: { S: graph.fingerprint } };
  const expiry: Item = { [graph.table.ttl]: tombstoneExpiry(now) };
  const isOpen = current?.[AFTER] !== undefined;
  return {
    key,
    set: { ...stamp, ...(isOpen ? { ...placeAt(AFTER), ...placeAt(AGAIN) } : expiry) },
    unset: isOpen ? [graph.table.ttl] : [AFTER, AGAIN],
    condition: unchangedCondition(current, graph.table.ttl),
  };
}

/** Leaves a tombstone, so that a consumer with a record of the continuation finds another revision. */
export function endContinuationUpdate(
  graph: CompiledModel,
  key: ItemKey,
  current: Item,
  now: EpochSeconds,
): DerivedUpdate {
  const { ttl } = graph.table;
  const set = { [ttl]: tombstoneExpiry(now) };
  return { key, set, unset: [AFTER, AGAIN], condition: unchangedCondition(current, ttl) };
}

function givesSameShares(
  graph: CompiledModel,
  source: string,
  edgeType: string,
  before: Item | undefined,
  after: Item | undefined,
): boolean {
  return layersOf(graph).every((layer) => {
    const edge = layer.edges.get(edgeType);
    if (edge === undefined) return true;
    const subject = (image: Item | undefined): Subject | undefined => nodeSubject(layer, source, image);
    return edgeItemsPlan(edge).joinedItems.every((plan) =>
      sameShare(sourceShare(plan, subject(before)), sourceShare(plan, subject(after))),
    );
  });
}
