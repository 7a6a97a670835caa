import { isDeepStrictEqual } from 'node:util';
import { canonicalText, type Item, sameValue } from '../../core/items/attribute-value.ts';
import { ATTRIBUTES, valueIn } from '../../core/items/derived-item.ts';
import { type DerivedKey, parseDerivedKey } from '../../core/items/derived-key.ts';
import { edgeKeyOfElement } from '../../core/items/element.ts';
import { hash128, parseNodeId, textOfKey } from '../../core/items/keys.ts';
import { type Amounts, sameAmounts, storedAmounts } from '../../core/items/ledger.ts';
import { toPlain } from '../../core/items/plain.ts';
import { copiesByEdge, elementsByEdge, evictedTypes } from '../../core/items/stored-view.ts';
import { projectionsOfIndexPartitions } from '../../core/kinds/index-item.ts';
import type {
  CompiledModel,
  CountModel,
  EdgeModel,
  FeedNames,
  IndexName,
  SearchModel,
} from '../../core/model/compiled.ts';
import { isNodeList } from '../../core/model/node-list.ts';
import { type IndexEntry, listOfEdges, partitionOfSearch } from '../../core/model/projection/list-of-place.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import type { ChangedItem } from '../../stream/changed-items.ts';
import type { RawRecord } from '../../stream/raw-record.ts';
import { decodeElements } from '../read/nodes/edge-set.ts';
import { hasEveryGroup, totalOfAmounts } from '../read/nodes/total.ts';
import { plainViewAttributes } from '../read/nodes/views.ts';
import type { ReadContext } from '../read/request/read-context.ts';
import type { EdgeSetElement } from '../read/request/result.ts';
import { changeRevision, revisionText } from './change-revision.ts';
import type {
  CountChange,
  FeedChange,
  ItemChange,
  ListChange,
  ListedPlace,
  NodeListChange,
  SearchChange,
  ViewChange,
} from './feed-change.ts';
import { entryIn, knownItem, toldRevision } from './known-items.ts';
import { isNativeChange, nativeChanges } from './native-changes.ts';

const ITEM_DIGITS = 8;

/** The model that `changesOf` interprets records with. `FeedModels.current` returns it. */
export interface FeedModel {
  readonly graph: CompiledModel;
  /** @internal */
  readonly projections: ReadContext['projections'];
  /** @internal */
  readonly readNumber: ReadContext['readNumber'];
}

interface Told {
  change: ChangedItem;
  node: { id: string; type: string };
  of: ItemChange;
}

/**
 * Returns the changes that a stream record makes to views, lists, searches and counts. The record may come from a
 * Lambda event or the SDK, and needs both images. Get the model after receiving the records, so that the model is at
 * least as new as they are.
 *
 * @example
 * const models = createFeedModels(graph, { client });
 * export const handler = async ({ Records }) => {
 *   const model = await models.current();
 *   for (const record of Records) for (const change of changesOf(model, record)) await tell(change);
 * };
 */
export function changesOf(model: FeedModel, record: RawRecord): FeedChange[] {
  const change = knownItem(model.graph.table, record);
  const node = change && parseNodeId(change.source);
  if (change === undefined || node === undefined) return [];
  return [change, ...nativeChanges(model.graph, record, change)].flatMap((one) => {
    const key = parseDerivedKey(one.target);
    if (key === undefined) return [];
    const of = itemChange(record, change, one);
    return changesOfItem(model, key, { change: one, node: { id: change.source, type: node.type }, of });
  });
}

function itemChange(record: RawRecord, base: ChangedItem, change: ChangedItem): ItemChange {
  const isNative = isNativeChange(change);
  const item = textOfKey(isNative ? base : change);
  const number = toldRevision(change);
  const revision = isNative ? change.revision : changeRevision(record, number);
  // Sequence numbers are unique only within a stream, and the table may get another stream.
  const eventId = [record.dynamodb?.SequenceNumber, ...(isNative ? [] : [number]), hash128(item).slice(0, ITEM_DIGITS)];
  return { item, revision: revisionText(revision), eventId: eventId.join('.') };
}

function changesOfItem(model: FeedModel, key: DerivedKey, told: Told): FeedChange[] {
  switch (key.kind) {
    case 'view':
      return changeOfView(model, told);
    case 'part-view':
      return changeOfPart(model, key.part, told);
    case 'index-item':
      if (key.of === 'search') return changesOfHits(model, told);
      return key.of === 'edge' ? changesOfEdge(model, key, told) : [];
    case 'count':
    case 'total':
      return changeOfCount(model, key, told);
    default:
      return [];
  }
}

function changeOfView(model: FeedModel, { change, node, of }: Told): ViewChange[] {
  const { oldImage, newImage } = change;
  const { projections, graph } = model;
  if (!graph.nodes.has(node.type) || !isFed(graph, 'views', node.type)) return [];
  // Readers can't use a type's views while a migration rebuilds them. A resync follows once the migration has rebuilt
  // them all.
  if (!projections.usesView(node.id, newImage)) return [];
  const [wasOutgrown, isOutgrown] = [evictedTypes(oldImage), evictedTypes(newImage)];
  // An evicted type's edges leave the edge set but still exist, so don't report them as removed.
  const hasRoom = ({ type }: EdgeSetElement): boolean => !isOutgrown.has(type);
  const [before, after] = [shownElements(oldImage), shownElements(newImage)];
  const left = entriesWithout(model, oldImage, before, after).filter(hasRoom);
  const entered = entriesWithout(model, newImage, after, before).filter(hasRoom);
  const outgrown = [...isOutgrown].sort();
  const isEvicted = !isDeepStrictEqual(outgrown, [...wasOutgrown].sort());
  const isOther = !sameValue(oldImage?.[ATTRIBUTES], newImage?.[ATTRIBUTES]);
  if (!isOther && !isEvicted && left.length === 0 && entered.length === 0) return [];
  return [
    {
      ...{ kind: 'view', type: node.type, id: node.id, attributes: plainViewAttributes(model, newImage) },
      ...(left.length > 0 && { left }),
      ...(entered.length > 0 && { entered }),
      ...(outgrown.length > 0 && { outgrown }),
      ...of,
    },
  ];
}

function shownElements(view: Item | undefined): Map<string, string> {
  const copies = copiesByEdge(view);
  const elements = [...elementsByEdge(view).values()].flat();
  return new Map(
    elements.map((element) => {
      const copy = copies.get(edgeKeyOfElement(element));
      return [element, copy === undefined ? '' : canonicalText({ M: copy })];
    }),
  );
}

function entriesWithout(
  { readNumber }: FeedModel,
  view: Item | undefined,
  shown: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): EdgeSetElement[] {
  const only = [...shown].flatMap(([element, copy]) => (other.get(element) === copy ? [] : [element]));
  return decodeElements(only, readNumber, copiesByEdge(view));
}

function changeOfPart(model: FeedModel, name: string, { change, node, of }: Told): ViewChange[] {
  const { graph, projections } = model;
  const part = graph.nodes.get(node.type)?.parts.get(name);
  if (part === undefined || !isFed(graph, 'views', node.type)) return [];
  if (projections.part(node.type, part)?.inForce.places.key !== change.target) return [];
  const { oldImage, newImage } = change;
  if (sameValue(oldImage?.[ATTRIBUTES], newImage?.[ATTRIBUTES])) return [];
  const attributes = plainViewAttributes(model, newImage);
  return [{ kind: 'view', type: node.type, id: node.id, part: name, attributes, ...of }];
}

/** Tries all of the type's searches, because the table may group them into items differently than the model. */
function changesOfHits(model: FeedModel, told: Told): (SearchChange | NodeListChange)[] {
  const { searches } = model.graph.nodes.get(told.node.type) ?? {};
  return [...(searches?.values() ?? [])].flatMap((search) => changeOfHit(model, search, told));
}

function changeOfHit(
  model: FeedModel,
  search: SearchModel,
  { change, node, of }: Told,
): (SearchChange | NodeListChange)[] {
  const { graph, readNumber } = model;
  if (!isFedSearch(graph, node.type, search)) return [];
  if (search.native !== isNativeChange(change)) return [];
  const stored = ifReady(() => model.projections.search(search));
  if (stored?.inForce.places.isKeyOfSearch(change.target) !== true) return [];
  const { places } = stored.inForce;
  const moved = movedRow(change, stored.index, (entry) => {
    const partition = partitionOfSearch(places, entry, change.source);
    return partition === null ? undefined : { place: entry.sort, ...(partition !== undefined && { partition }) };
  });
  if (moved === undefined) return [];
  const row = {
    ...{ type: node.type, id: node.id, attributes: rowAttributes(model, moved, change) },
    ...placesOf(moved),
    ...of,
    eventId: `${of.eventId}/${search.name}`,
  };
  if (isNodeList(search)) return [{ kind: 'list', list: { nodes: node.type }, ...row }];
  const shown = (moved.isGone ? change.oldImage : change.newImage)?.[valueIn(stored.index)];
  const value = shown === undefined ? null : toPlain(shown, readNumber);
  return [{ kind: 'search', list: { search: search.indexPartition }, value, ...row }];
}

function changesOfEdge(
  model: FeedModel,
  key: Extract<DerivedKey, { of: 'edge' }>,
  { change, node, of }: Told,
): ListChange[] {
  const edge = model.graph.edges.get(edgeTypeOf(key, change));
  if (edge?.inbound?.native !== isNativeChange(change) || !edge.from.has(node.type)) return [];
  return [...edge.inbound.orders.values()].flatMap((declared): ListChange[] => {
    const { name, isNamed } = declared;
    if (key.order !== (isNamed ? name : undefined) || !isFedOrder(model.graph, edge, name)) return [];
    const stored = ifReady(() => model.projections.order(edge, declared));
    if (stored === undefined) return [];
    const listed = new Set<string>();
    const moved = movedRow(change, stored.order.index, (entry) => {
      const { places } = stored.order;
      const list = listOfEdges(places, edge.type, stored.inbound.partition !== undefined, entry, change.source);
      // An item of an earlier projection may have the same index keys, so compare the sort key.
      if (list === undefined || places.itemKeys([], list.edgeKey).target !== change.target) return undefined;
      listed.add(list.edgeKey);
      return { place: entry.sort, ...(list.partition !== undefined && { partition: list.partition }) };
    });
    const [edgeKey] = listed;
    if (moved === undefined || edgeKey === undefined) return [];
    return [
      {
        ...{ kind: 'list', type: edge.type, id: node.id },
        list: { inbound: [edgeKey.slice(edge.type.length + 1), edge.type], order: name },
        attributes: rowAttributes(model, moved, change),
        ...placesOf(moved),
        ...of,
        eventId: `${of.eventId}/${name}`,
      },
    ];
  });
}

function edgeTypeOf({ edgeType }: { edgeType: string }, { oldImage, newImage }: ChangedItem): string {
  if (edgeType !== '') return edgeType;
  const place = [newImage, oldImage].flatMap((image) =>
    image === undefined ? [] : projectionsOfIndexPartitions(image),
  )[0];
  return place?.of === 'edge' ? place.edgeType : '';
}

function isFed(model: CompiledModel, kind: keyof FeedNames, ...names: readonly string[]): boolean {
  const { feed } = model;
  return feed === undefined || names.some((name) => feed[kind]?.includes(name));
}

function isFedSearch(model: CompiledModel, type: string, search: SearchModel): boolean {
  return isNodeList(search) ? isFed(model, 'lists', type) : isFed(model, 'searches', type, search.indexPartition);
}

function isFedOrder(graph: CompiledModel, { type }: EdgeModel, order: string): boolean {
  return isFed(graph, 'lists', type, `${type}.${order}`);
}

interface MovedRow {
  left: ListedPlace | undefined;
  entered: ListedPlace | undefined;
  isGone: boolean;
}

function movedRow(
  { oldImage, newImage }: ChangedItem,
  index: IndexName,
  placeOf: (entry: IndexEntry) => ListedPlace | undefined,
): MovedRow | undefined {
  const [before, after] = [oldImage, newImage].map((image) => {
    const entry = entryIn(index, image);
    return entry && placeOf(entry);
  });
  if (before === undefined && after === undefined) return undefined;
  const isGone = after === undefined;
  if (!isDeepStrictEqual(before, after)) return { left: before, entered: after, isGone };
  return isSameRow(index, oldImage!, newImage!) ? undefined : { left: undefined, entered: undefined, isGone };
}

function isSameRow(index: IndexName, left: Item, right: Item): boolean {
  return [ATTRIBUTES, valueIn(index)].every((name) => sameValue(left[name], right[name]));
}

function placesOf({ left, entered }: MovedRow): Pick<ListChange, 'left' | 'entered'> {
  return { ...(left && { left }), ...(entered && { entered }) };
}

function rowAttributes(
  model: FeedModel,
  { isGone }: MovedRow,
  { newImage }: ChangedItem,
): Record<string, unknown> | null {
  return isGone ? null : (plainViewAttributes(model, newImage) ?? {});
}

function changeOfCount(
  model: FeedModel,
  { kind, edgeType }: Extract<DerivedKey, { kind: 'count' | 'total' }>,
  { change, node, of }: Told,
): CountChange[] {
  const { graph, projections } = model;
  const edge = graph.edges.get(edgeType);
  const isInbound = kind === 'total';
  const count: CountModel | undefined = isInbound ? edge?.incoming : edge?.count;
  if (edge === undefined || count === undefined || !isFed(graph, 'counts', edgeType)) return [];
  const places = ifReady(() => (isInbound ? projections.total(edge, 'inbound') : projections.count(edge)));
  if (places?.key !== change.target) return [];
  const [before, after] = [storedAmounts(change.oldImage), storedAmounts(change.newImage)];
  if (after === undefined || (before !== undefined && sameAmounts(before, after))) return [];
  return [
    {
      ...{ kind: 'count', type: edgeType, id: node.id, direction: isInbound ? 'inbound' : 'outgoing' },
      attributes: attributesOfCount(count, after, node.id, isInbound),
      ...of,
    },
  ];
}

function attributesOfCount(
  count: CountModel,
  amounts: Amounts,
  id: string,
  isInbound: boolean,
): Record<string, unknown> {
  const hasGroups = hasEveryGroup(count, amounts);
  const { groups, ...sums } = totalOfAmounts(count, amounts, hasGroups, id);
  const isTotal = isInbound || count.totals !== undefined;
  return { ...sums, ...(isTotal && hasGroups && { groups }) };
}

function ifReady<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof EdgeloomError && error.code === 'projection-not-ready') return undefined;
    throw error;
  }
}

const NATIVE_PLACE = 'native';

/** @internal */
export function placesInForce({ graph, projections }: FeedModel): Map<string, string> {
  const places = new Map<string, string>();
  const note = (name: string, place: string | undefined): void => {
    if (place !== undefined) places.set(name, place);
  };
  for (const { type, searches, parts } of graph.nodes.values()) {
    if (isFed(graph, 'views', type)) {
      note(`view ${type}`, projections.usesView(`${type}-`, undefined) ? 'ready' : undefined);
      for (const part of parts.values()) {
        note(`part ${type}.${part.name}`, projections.part(type, part)?.inForce.places.key);
      }
    }
    for (const search of searches.values()) {
      if (!isFedSearch(graph, type, search)) continue;
      const stored = ifReady(() => projections.search(search));
      const name = isNodeList(search) ? `nodes ${type}` : `search ${search.indexPartition}`;
      note(name, stored?.native === true ? NATIVE_PLACE : stored?.inForce.places.first);
    }
  }
  for (const edge of graph.edges.values()) {
    for (const order of edge.inbound?.orders.values() ?? []) {
      if (!isFedOrder(graph, edge, order.name)) continue;
      const stored = ifReady(() => projections.order(edge, order));
      const place = stored?.inbound.native === true ? NATIVE_PLACE : stored?.order.places.targetItemKey;
      note(`order ${order.name} of ${edge.type}`, place);
    }
    if (!isFed(graph, 'counts', edge.type)) continue;
    if (edge.count !== undefined) note(`count ${edge.type}`, projections.count(edge)?.key);
    if (edge.incoming !== undefined) note(`total ${edge.type}`, ifReady(() => projections.total(edge, 'inbound'))?.key);
  }
  return places;
}
