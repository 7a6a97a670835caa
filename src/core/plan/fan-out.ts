import { type Item, sameItem, stringOf } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { AFTER, AGAIN, MODEL, revisionOf, TOMBSTONE_HOURS, unchangedCondition } from '../items/derived-item.ts';
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
 * The fan-out of a parent's change to its children's views, or of a source node's change to its edges' index items
 * (`of`), page by page. After the first page, a continuation item in the parent's partition drives the next pages: the
 * record of each write to it. It is the only derived item whose records cause writes.
 */

/** One for each edge type that uses a changed attribute of the node or part. */
export function touchedFanOuts(graph: CompiledModel, record: ChangeRecord): readonly FanOutTouch[] {
  const { source, target, oldImage: before, newImage: after } = record;
  if (!hasFanOuts(graph)) return NONE;
  const isPart = source !== target && isPartOfSource(graph, source, target);
  if (source !== target && !isPart) return NONE;
  if (record.isPartial === true) return fanOutsOf(graph, record);
  const joined = joinedTypesFrom(graph, parseNodeId(source)?.type ?? '');
  if (isPart) {
    const asSource = (image: Item | undefined): Item => partAttributesAsSource(graph, source, target, image);
    // rule: part-brings-its-change-to-the-edges
    const changed = joined.filter((type) => !givesSameShares(graph, source, type, asSource(before), asSource(after)));
    return changed.map((type) => fanOutTouch('joined', source, type));
  }
  // rule: node-brings-its-parts-along
  const isThereAsBefore = isAlikeThere(graph, source, before, after) || !dependsOnParts(graph, source);
  const copying = copyingTypes(graph, source).filter(
    (edge) => !sameItem(copyOf(graph, edge, before), copyOf(graph, edge, after)),
  );
  const changed = joined.filter((type) => !isThereAsBefore || !givesSameShares(graph, source, type, before, after));
  return [
    ...copying.map(({ type }) => fanOutTouch('copies', source, type)),
    ...changed.map((type) => fanOutTouch('joined', source, type)),
  ];
}

/**
 * Whatever has changed.
 *
 * @param target sort key of a node or part; other base items have no fan-outs.
 */
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

/** Whether a node exists in both images or in neither, for each model. */
function isAlikeThere(graph: CompiledModel, id: string, before: Item | undefined, after: Item | undefined): boolean {
  return layersOf(graph).every((layer) => isNodeThere(layer, id, before) === isNodeThere(layer, id, after));
}

function dependsOnParts(graph: CompiledModel, source: string): boolean {
  return sourceNodeKeys(graph, source).length > 1;
}

/**
 * Visits the next page of a fan-out, whose place is in the continuation's record. If nothing in the registry needs the
 * fan-out, it ends: no other record would end it, and a later projection with such fan-outs would take it for its own.
 * Undefined if the record shows the fan-out at its end, the model has no registry and no such fan-out, or the item
 * isn't a continuation.
 */
export function continuationTouch(graph: CompiledModel, record: ChangeRecord): ContinuationTouch | undefined {
  const { source, target } = record;
  const fanOut = fanOutOfKey(target);
  if (fanOut === undefined) return undefined;
  const { of, edgeType } = fanOut;
  const isOpen = record.isPartial === true || stringOf(record.newImage?.[AFTER]) !== undefined;
  const isKept = of === 'copies' ? graph.edges.get(edgeType)?.copy !== undefined : joinedEdgeTypes(graph).has(edgeType);
  // Without a registry, consumers of another model may need it.
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
 * Leaves the rest of a fan-out to the continuation's record. A running fan-out continues to its end, however fast the
 * parent changes. Changes in the meantime request one more round, from the earlier of the two places; the children
 * ahead are visited after the change anyway. Each change writes the continuation even if the round is already
 * requested: this restarts a fan-out whose last record was lost.
 *
 * @param after sort key of the first page's last reverse item or edge.
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
 * Moves a continuation, as read before the page, past that page. At the end it begins the round that changes have
 * requested, or becomes a tombstone.
 */
export function moveContinuationUpdate(
  graph: CompiledModel,
  { source, sortKey }: ContinuationTouch,
  item: Item,
  after: string | undefined,
  now: EpochSeconds,
): DerivedUpdate {
  const again = stringOf(item[AGAIN]);
  const expiry: Item = { [graph.table.ttl]: { N: String(now + TOMBSTONE_HOURS * 3600) } };
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
 * Continues a stuck fan-out from its place: writing the same place again makes another record, which drives the next
 * page. The fan-out isn't ended: its record may just be late, and the remaining children would never get the change. A
 * continuation without a place becomes a tombstone. One with an impossible place starts again at the first child or
 * edge.
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
  const expiry: Item = { [graph.table.ttl]: { N: String(now + TOMBSTONE_HOURS * 3600) } };
  const isOpen = current?.[AFTER] !== undefined;
  return {
    key,
    set: { ...stamp, ...(isOpen ? { ...placeAt(AFTER), ...placeAt(AGAIN) } : expiry) },
    unset: isOpen ? [graph.table.ttl] : [AFTER, AGAIN],
    condition: unchangedCondition(current, graph.table.ttl),
  };
}

/**
 * Ends a fan-out that nothing needs, unless its continuation was written since. Leaves a tombstone, so that a consumer
 * with a record of the continuation finds another revision.
 */
export function endContinuationUpdate(
  graph: CompiledModel,
  key: ItemKey,
  current: Item,
  now: EpochSeconds,
): DerivedUpdate {
  const { ttl } = graph.table;
  const set = { [ttl]: { N: String(now + TOMBSTONE_HOURS * 3600) } };
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
    return edgeItemsPlan(layer, edge).joinedItems.every((plan) =>
      sameShare(sourceShare(plan, subject(before)), sourceShare(plan, subject(after))),
    );
  });
}
