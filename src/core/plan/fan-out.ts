import { type Item, sameItem, stringOf } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import {
  AFTER,
  AGAIN,
  MODEL,
  revisionOf,
  TOMBSTONE_HOURS,
  unchangedCondition,
  WATERMARK,
} from '../items/derived-item.ts';
import { compareKeys } from '../items/encoding.ts';
import { parseNodeId } from '../items/keys.ts';
import { laterOf } from '../items/watermark.ts';
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
import type { ItemHistory } from './fold.ts';
import { edgeItemsPlan } from './type-plans.ts';
import { type ContinuationUnit, type EpochSeconds, type FanOutUnit, positionSpan } from './unit.ts';

const NONE: readonly never[] = [];

/**
 * The fan-out of a parent's change to the views of its children, or of a source node's change to the index items of its edges (`of`
 * says which), page by page. After the first page a continuation item exists in the parent's partition; the record of each of its
 * writes drives the next page. It is the only derived item whose records cause writes.
 */

/** The fan-outs that a batch's records of a node, or of a part of it, require: one for each edge type that uses a changed attribute. */
export function fanOutUnits(graph: CompiledModel, { source, target, records }: ItemHistory): readonly FanOutUnit[] {
  if (!hasFanOuts(graph)) return NONE;
  const isPart = source !== target && isPartOfSource(graph, source, target);
  if (source !== target && !isPart) return [];
  // The records are not netted: a delete and a new insert in one batch still fan out, since the delete may have been applied alone.
  const fanOutsAlong = (
    of: FanOutOf,
    edgeType: string,
    isSame: (before: Item | undefined, after: Item | undefined) => boolean,
  ): FanOutUnit[] => {
    const changing = records.filter(({ oldImage, newImage }) => !isSame(oldImage, newImage));
    // rule: no-net-zero-in-fan-outs
    return changing.length === 0 ? [] : [fanOutUnit(of, source, edgeType, changing)];
  };
  const joined = joinedTypesFrom(graph, parseNodeId(source)?.type ?? '');
  if (isPart) {
    const asSource = (image: Item | undefined): Item => partAttributesAsSource(graph, source, target, image);
    // rule: part-brings-its-change-to-the-edges
    return joined.flatMap((type) =>
      fanOutsAlong('joined', type, (before, after) =>
        givesSameShares(graph, source, type, asSource(before), asSource(after)),
      ),
    );
  }
  return [
    ...copyingTypes(graph, source).flatMap((edge) =>
      fanOutsAlong('copies', edge.type, (before, after) =>
        sameItem(copyOf(graph, edge, before), copyOf(graph, edge, after)),
      ),
    ),
    ...joined.flatMap((type) =>
      fanOutsAlong('joined', type, (before, after) => {
        // rule: node-brings-its-parts-along
        const isThereAsBefore = isAlikeThere(graph, source, before, after) || !dependsOnParts(graph, source);
        return isThereAsBefore && givesSameShares(graph, source, type, before, after);
      }),
    ),
  ];
}

/**
 * The fan-outs of a node, or of a part of it, as it is now, whatever its records said.
 *
 * @param target its sort key; no other base item has fan-outs.
 */
export function fanOutsOf(
  graph: CompiledModel,
  { source, target }: Pick<ItemKey, 'source' | 'target'>,
  position: string,
): FanOutUnit[] {
  const isNode = source === target;
  if (!isNode && !isPartOfSource(graph, source, target)) return [];
  const fanOutAlong = (of: FanOutOf, edgeType: string): FanOutUnit => ({
    kind: 'fan-out',
    of,
    source,
    sortKey: new FanOutPlaces(edgeType).continuation(of),
    edgeType,
    records: [],
    oldest: position,
    newest: position,
  });
  return [
    ...(isNode ? copyingTypes(graph, source) : []).map(({ type }) => fanOutAlong('copies', type)),
    ...joinedTypesFrom(graph, parseNodeId(source)?.type ?? '').map((type) => fanOutAlong('joined', type)),
  ];
}

/** Tells whether a node is there in both images or in neither, for each model. */
function isAlikeThere(graph: CompiledModel, id: string, before: Item | undefined, after: Item | undefined): boolean {
  return layersOf(graph).every((layer) => isNodeThere(layer, id, before) === isNodeThere(layer, id, after));
}

/** Tells whether parts of a node decide about its edges' items too. */
function dependsOnParts(graph: CompiledModel, source: string): boolean {
  return sourceNodeKeys(graph, source).length > 1;
}

function fanOutUnit(of: FanOutOf, source: string, edgeType: string, records: readonly ChangeRecord[]): FanOutUnit {
  const positions = records.map(({ position }) => position).sort();
  return {
    kind: 'fan-out',
    of,
    source,
    sortKey: new FanOutPlaces(edgeType).continuation(of),
    edgeType,
    records,
    oldest: positions[0]!,
    newest: positions.at(-1)!,
  };
}

/**
 * Returns the unit that visits the next page of a fan-out. The newest record of the continuation says where the page begins. If nothing
 * in the registry needs the fan-out, the unit ends it: after this record no other one would, and a projection that comes later and needs
 * such fan-outs would take it for its own. Undefined if that record shows the fan-out at its end, if a model without a registry has no
 * such fan-out, or if the item is no continuation.
 */
export function continuationUnit(graph: CompiledModel, history: ItemHistory): ContinuationUnit | undefined {
  const { source, target, records } = history;
  const fanOut = fanOutOfKey(target);
  if (fanOut === undefined) return undefined;
  const { of, edgeType } = fanOut;
  const record = records.at(-1)!;
  const after = stringOf(record.newImage?.[AFTER]);
  const isKept = of === 'copies' ? graph.edges.get(edgeType)?.copy !== undefined : joinedEdgeTypes(graph).has(edgeType);
  // Without a registry, consumers of another model may need what this model lacks.
  // rule: continuation-that-nothing-needs-is-ended
  const isEnding = !isKept && graph.shapes !== undefined && target === new FanOutPlaces(edgeType).continuation(of);
  // rule: continuation-drives-the-next-page
  if (after === undefined || !(isKept || isEnding)) return undefined;
  return {
    kind: 'continuation',
    isEnding,
    of,
    source,
    sortKey: target,
    edgeType,
    after,
    again: stringOf(record.newImage?.[AGAIN]),
    revision: revisionOf(record.newImage),
    records: [record],
    oldest: record.position,
    newest: record.position,
  };
}

/**
 * Makes the update that leaves the rest of a fan-out to the continuation's record; undefined if the same record of the parent has
 * begun it before. A record of another position begins it again: positions need not rise across shards, so a smaller one may be of
 * the newer change.
 *
 * A fan-out under way continues to its end, however fast the parent changes. A change in the meantime asks for one more round,
 * which begins at the earlier of the two places; the children ahead of the fan-out are visited after the change anyway. Each change
 * writes the continuation, even if that round is requested already: a fan-out whose last record was lost continues by the record of
 * this write.
 *
 * @param after sort key of the last reverse item, or of the last edge, of the first page.
 */
export function beginContinuationUpdate(
  graph: CompiledModel,
  unit: FanOutUnit,
  current: Item | undefined,
  after: string,
): DerivedUpdate | undefined {
  const begun = stringOf(current?.[WATERMARK]);
  // rule: change-begins-the-continuation-again
  if (begun === unit.newest) return undefined;
  const underWay = stringOf(current?.[AFTER]);
  const toCome = stringOf(current?.[AGAIN]);
  const again = underWay === undefined ? undefined : earlierPlace(earlierPlace(after, underWay), toCome);
  return {
    key: { source: unit.source, target: unit.sortKey },
    set: {
      [AFTER]: { S: underWay ?? after },
      ...(again !== undefined && { [AGAIN]: { S: again } }),
      [WATERMARK]: { S: laterOf(begun, unit.newest) },
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
 * Makes the update that moves a continuation past the page that its record has driven. At the end it begins the round that changes
 * have requested meanwhile, or becomes a tombstone.
 */
export function moveContinuationUpdate(
  graph: CompiledModel,
  unit: ContinuationUnit,
  after: string | undefined,
  now: EpochSeconds,
): DerivedUpdate {
  const expiry: Item = { [graph.table.ttl]: { N: String(now + TOMBSTONE_HOURS * 3600) } };
  // rule: change-during-a-fan-out-gets-a-round
  const place = after ?? unit.again;
  return {
    key: { source: unit.source, target: unit.sortKey },
    set: { [MODEL]: { S: graph.fingerprint }, ...(place === undefined ? expiry : { [AFTER]: { S: place } }) },
    unset: [
      place === undefined ? AFTER : graph.table.ttl,
      ...(after === undefined && unit.again !== undefined ? [AGAIN] : []),
    ],
    // rule: continuation-moves-from-the-revision-of-its-record
    condition: { kind: 'revision', revision: unit.revision },
  };
}

/**
 * Makes the update by which a stuck fan-out goes on from its place. It writes the continuation with the same place, so that the stream
 * gets the lost record again, which drives the next page. It does not end the fan-out: the record may only be late, and then the
 * remaining children would never get the change. A continuation without a place becomes a tombstone. Only one with an impossible place
 * begins again at the first child, or edge.
 *
 * @param watermark the watermark to write.
 */
export function continueFanOutUpdate(
  graph: CompiledModel,
  key: ItemKey,
  current: Item | undefined,
  watermark: string,
  now: EpochSeconds,
): DerivedUpdate {
  const { of, edgeType } = fanOutOfKey(key.target)!;
  const first = new FanOutPlaces(edgeType).visitedPrefix(of);
  const placeAt = (name: string): Item => {
    const stored = stringOf(current?.[name]);
    if (current?.[name] === undefined) return {};
    return { [name]: { S: stored?.startsWith(first) === true ? stored : first } };
  };
  const stamp: Item = { [WATERMARK]: { S: watermark }, [MODEL]: { S: graph.fingerprint } };
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
 * The update that ends a fan-out that nothing needs any more, if nothing has written to its continuation since that was seen. A
 * tombstone stays, as at the end of any fan-out: who still holds a record of the continuation finds another revision.
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

/** Tells whether two images of a node give the same shares to the index items of its edges of a type. */
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

/** One unit for each continuation: a node and its parts may have changed in one batch. */
export function mergedFanOuts(fanOuts: readonly FanOutUnit[]): readonly FanOutUnit[] {
  if (fanOuts.length < 2) return fanOuts;
  const merged = new Map<string, FanOutUnit>();
  for (const unit of fanOuts) {
    const present = merged.get(unit.sortKey);
    const records = [...(present?.records ?? []), ...unit.records];
    merged.set(unit.sortKey, present === undefined ? unit : { ...present, records, ...positionSpan(records) });
  }
  return [...merged.values()];
}
