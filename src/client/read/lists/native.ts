import {
  type AttributeValue,
  attributeOf,
  type Item,
  numberOf,
  sameValue,
  stringOf,
} from '../../../core/items/attribute-value.ts';
import { compareKeys, encodeValue } from '../../../core/items/encoding.ts';
import type { Filter } from '../../../core/items/filter.ts';
import { hash128 } from '../../../core/items/keys.ts';
import { AS_WRITTEN } from '../../../core/items/text-form.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import { derivedInstead, type NativeIndex } from '../../../core/model/native.ts';
import { faultOfNativeKey } from '../../../core/model/native-misfits.ts';
import { derivedOf } from '../../../core/plan/derive.ts';
import { nativePages } from '../../../core/store-pages.ts';
import type { NativeQueryRequest, QueryResult, Store } from '../../../core/store-port.ts';
import type { OwnWrite } from '../../session/own-writes.ts';
import { GIVEN_CHARACTERS, MOST_GIVEN } from '../request/cursor.ts';
import { sendableRange } from '../request/key-range.ts';
import { Budget, DEFAULT_MAX_RCU, LEAST_FILTERED } from './budget.ts';
import { type Gathered, hasProjected, MOST_ASKED } from './scatter.ts';

/**
 * Pages of native orders and searches. A row of a native index is a base item; readers make the index item of it that the projector would
 * have derived, so that all that knows index items knows native ones.
 *
 * The index also holds rows that no reader shows: soft-deleted and ended ones, and items that only look like rows. A page reads over them
 * with calls that ask for more and more, as far as its budget goes.
 *
 * DynamoDB promises no order of rows with one value. So a page goes on where the index stands, and a session's own rows come before
 * the other rows of their value, which needs no order among those. A cursor names those that came so, since the index has them, too.
 */

/** The question to a native index. */
export interface NativeList {
  index: NativeIndex;
  /** The partition of the index; undefined: no item can have the value that is asked for. */
  partition: AttributeValue | undefined;
  /** The range of the index's sort keys, both ends inclusive; it may hold more than is asked for. */
  from?: AttributeValue | undefined;
  to?: AttributeValue | undefined;
  /** The sort key of the item that the projector would have derived for each row. */
  itemKey: string;
}

/** Which page of it. */
export interface NativePage {
  list: NativeList;
  /** The `lastKey` of the page before. */
  after?: string | undefined;
  reverse: boolean;
  limit: number;
  where?: Filter | undefined;
  /** Read capacity units that the page may cost. Default: 50 besides the rows that it shows. */
  maxRcu?: number | undefined;
  /** Tells whether an index item belongs to the answer. */
  accept: (item: Item) => boolean;
  /** The session's own base items that the question is about. */
  own: readonly OwnWrite[];
}

/** The part of a `ReadContext` that a native list needs. */
interface NativeContext {
  graph: CompiledModel;
  store: Pick<Store, 'queryNative'>;
}

/** A place in a native index: the sort key's value and the item's source. Own rows of a session lie before the others of their value. */
interface Place {
  value: AttributeValue;
  source: string;
  isOwn: boolean;
}

interface Row extends Place {
  item: Item;
}

/** The place behind which a page goes on. */
interface Position {
  value: AttributeValue;
  /** The last item of the value that the index has given; undefined: it has given none, only the session has. */
  source?: string | undefined;
  /** The own rows of the value that came before those of the index, by short hashes of their sources. */
  given: readonly string[];
}

/** Gathers one page, and looks one row ahead to tell whether more remain. */
export async function gatherNative(context: NativeContext, page: NativePage): Promise<Gathered> {
  const { list, reverse, limit, where } = page;
  const { partition } = list;
  if (partition === undefined) return { items: [], calls: 0 };
  const after = page.after === undefined ? undefined : parsePosition(list.index, page.after);
  // rule: native-rows-are-judged-by-what-they-would-be
  const isWanted = (item: Item): boolean => page.accept(item) && hasProjected(item, where);
  const compare = (left: Place, right: Place): number => comparePlaces(list.index, left, right, reverse);
  const behindAfter = (value: AttributeValue): number =>
    after === undefined ? 1 : compareValues(list.index, value, after.value) * (reverse ? -1 : 1);
  const isGiven = ({ value, source }: Place): boolean =>
    behindAfter(value) === 0 && after?.given.includes(shortHash(source)) === true;
  // Once the index gives rows of a value, the own ones come where it has them: they may have come there before the session wrote them.
  const isInPlace = ({ value }: Place): boolean => after?.source !== undefined && behindAfter(value) === 0;
  const ownSources = new Set(page.own.map(({ source }) => source));
  const ownRows = page.own
    .flatMap(({ item }) =>
      item === undefined || !isInList(list, item) ? [] : (rowOf(context, list, item, true) ?? []),
    )
    .filter((row) => isWanted(row.item) && behindAfter(row.value) >= 0 && !isGiven(row));
  const inPlace = new Map(ownRows.filter(isInPlace).map((row) => [row.source, { ...row, isOwn: false }]));
  const own = ownRows.filter((row) => !isInPlace(row)).sort(compare);
  const rows: Row[] = [];
  const budget = new Budget(page.maxRcu ?? DEFAULT_MAX_RCU);
  let request = requestAfter(context.graph, { ...list, partition }, after, reverse);
  let stand: Place | undefined;
  let leftOut = 0;
  for (;;) {
    const missing = limit + 1 - rows.length;
    const { items, lastKey, rcu, scanned }: QueryResult = await context.store.queryNative({
      ...request,
      limit: itemsToAskFor(page, missing, leftOut, budget),
    });
    budget.spend(rcu, scanned);
    for (const item of items) {
      const place = placeOf(context.graph, list.index, item, false);
      if (isGiven(place)) continue;
      // Whatever the index holds of an item that was just written, the item as it is now says more.
      // rule: every-native-row-of-an-own-item-is-replaced
      const isReplaced = ownSources.has(place.source);
      const now = isInPlace(place) ? inPlace.get(place.source) : undefined;
      const row = isReplaced ? now : rowOf(context, list, item, false);
      if (row !== undefined && isWanted(row.item)) rows.push(row);
    }
    leftOut = scanned - (missing - (limit + 1 - rows.length));
    // Whoever names no budget pays for the rows that the page shows, however large these are.
    if (page.maxRcu === undefined && scanned > 0) budget.refund((rcu * (scanned - leftOut)) / scanned);
    stand = lastKey && placeOf(context.graph, list.index, lastKey, false);
    if (lastKey === undefined || rows.length > limit) break;
    // A page without progress would be asked for without end, and each call makes some.
    if (budget.callsLeft() <= 0) break;
    request = { ...request, startKey: lastKey };
  }
  const isAtEnd = stand === undefined;
  // Behind the last row read may be rows that come before an own one.
  // rule: own-rows-behind-what-was-read-wait
  const known = isAtEnd || rows.length > limit ? own : own.filter((row) => compare(row, stand!) < 0);
  const merged = [...known, ...rows].sort(compare);
  const given = merged.slice(0, limit);
  // rule: native-page-goes-on-behind-its-last-item
  const last = merged.length > limit ? given.at(-1)! : isAtEnd ? undefined : stand;
  const answer: Gathered = { items: given.map(({ item }) => item), calls: budget.calls };
  if (last === undefined) return answer;
  const before = behindAfter(last.value) === 0 ? after!.given : [];
  const ownOfLast = given.filter((row) => row.isOwn && compareValues(list.index, row.value, last.value) === 0);
  const position: Position = {
    value: last.value,
    source: last.isOwn ? undefined : last.source,
    given: [...before, ...ownOfLast.map(({ source }) => shortHash(source))].slice(-MOST_GIVEN),
  };
  return { ...answer, lastKey: formatPosition(position) };
}

/**
 * The number of items to ask for: those that the page needs, and more and more while rows are left out, so that a stretch of them takes few
 * calls.
 */
function itemsToAskFor({ where, maxRcu }: NativePage, missing: number, leftOut: number, budget: Budget): number {
  const isFiltered = where !== undefined || leftOut > 0;
  const asked = isFiltered ? Math.max(LEAST_FILTERED, missing + 4 * leftOut) : missing;
  // Nothing is known of the size of rows before the first call, and a page that leaves out none costs what its limit says.
  const affordable = maxRcu === undefined && leftOut === 0 ? Number.POSITIVE_INFINITY : budget.itemsOfCall(1);
  return Math.max(1, Math.min(asked, affordable, MOST_ASKED));
}

/** The ends of a range as DynamoDB takes them: a text that is empty, or too long for a key, is moved outwards. */
export function sendableEnds({
  from,
  to,
}: {
  from: AttributeValue | undefined;
  to: AttributeValue | undefined;
}): Pick<NativeList, 'from' | 'to'> {
  const range = sendableRange({ from: stringOf(from), to: stringOf(to) });
  const low = stringOf(from) === undefined ? from : textEnd(range.from);
  // An empty text is below all keys: the lowest of them is the least range above it.
  const high = stringOf(to) === undefined ? to : textEnd(range.to === '' ? LOWEST_KEY : range.to);
  return { from: low, to: high };
}

/** The lowest text that a key may have. */
const LOWEST_KEY = '\u0000';

function textEnd(text: string | undefined): AttributeValue | undefined {
  return text === undefined || text === '' ? undefined : { S: text };
}

/** The number of rows that belong to the answer. */
export async function countNative(
  context: NativeContext,
  { list, accept }: Pick<NativePage, 'list' | 'accept'>,
): Promise<number> {
  const request = wholeRequest(context, list);
  if (request === undefined) return 0;
  let count = 0;
  for await (const { items } of nativePages(context.store, request))
    count += countRows(context, { list, accept }, items);
  return count;
}

/** The query of all rows of a list; undefined: no item can be in it. */
export function wholeRequest(
  { graph }: Pick<NativeContext, 'graph'>,
  list: NativeList,
): NativeQueryRequest | undefined {
  const { partition } = list;
  return partition && requestAfter(graph, { ...list, partition }, undefined, false);
}

/** The number of base items of a page of the index that belong to the answer. */
export function countRows(
  { graph }: Pick<NativeContext, 'graph'>,
  { list, accept }: Pick<NativePage, 'list' | 'accept'>,
  items: readonly Item[],
): number {
  return items.map((item) => rowOf({ graph }, list, item, false)).filter((row) => row && accept(row.item)).length;
}

/**
 * The index item that the projector would derive from a base item for a native order or search; undefined: none, since the item counts as
 * absent, or is no edge or node of the model.
 */
export function nativeItemOf(graph: CompiledModel, itemKey: string, base: Item): Item | undefined {
  return nativeItemsOf(graph, base).get(itemKey);
}

/** The index items that the projector would derive from a base item for all native orders and searches, by their sort keys. */
export function nativeItemsOf(graph: CompiledModel, base: Item): ReadonlyMap<string, Item> {
  const { partitionKey, sortKey } = graph.table;
  const source = stringOf(base[partitionKey]) ?? '';
  const { indexItems } = derivedOf(derivedInstead(graph), source, stringOf(base[sortKey]) ?? '', base);
  return new Map(
    [...indexItems].map(([itemKey, fields]): [string, Item] => [
      itemKey,
      { ...fields, [partitionKey]: { S: source }, [sortKey]: { S: itemKey } },
    ]),
  );
}

function rowOf({ graph }: Pick<NativeContext, 'graph'>, list: NativeList, base: Item, isOwn: boolean): Row | undefined {
  // DynamoDB leaves such an item out, and dynoxide does not, where the item is older than the index.
  if (faultOfNativeKey(list.index, attributeOf(base, list.index.attribute)!) !== undefined) return undefined;
  const item = nativeItemOf(graph, list.itemKey, base);
  return item && { item, ...placeOf(graph, list.index, base, isOwn) };
}

/** The place of a base item, or of a key of the index. */
function placeOf({ table }: CompiledModel, { sort }: NativeIndex, item: Item, isOwn: boolean): Place {
  return { value: attributeOf(item, sort)!, source: stringOf(item[table.partitionKey]) ?? '', isOwn };
}

/** The query of the rows after a position. After own rows alone come all rows of their value. */
function requestAfter(
  { table }: CompiledModel,
  { index, partition, from, to }: NativeList & { partition: AttributeValue },
  after: Position | undefined,
  reverse: boolean,
): NativeQueryRequest {
  const range = { ...(from && { from }), ...(to && { to }) };
  const whole = { index, partition, ...range, reverse };
  if (after === undefined) return whole;
  // rule: after-an-own-row-come-all-rows-of-its-value
  if (after.source === undefined) return { ...whole, ...(reverse ? { to: after.value } : { from: after.value }) };
  const { value, source } = after;
  const key = { [table.partitionKey]: { S: source }, [index.partition]: partition, [index.sort]: value };
  // The sort key of the table is one of the two keys of each native index.
  return { ...whole, startKey: key };
}

/** Compares two places in the direction of reading. The table's own keys decide only where the index has them as its sort key. */
function comparePlaces(index: NativeIndex, left: Place, right: Place, reverse: boolean): number {
  const byValue = compareValues(index, left.value, right.value);
  if (byValue !== 0) return reverse ? -byValue : byValue;
  // rule: own-rows-come-before-others-of-their-value
  return Number(right.isOwn) - Number(left.isOwn);
}

function compareValues(index: NativeIndex, left: AttributeValue, right: AttributeValue): number {
  return compareKeys(orderText(index, left), orderText(index, right));
}

/** Tells whether a base item lies in the range of a list. */
function isInList({ index, partition, from, to }: NativeList, item: Item): boolean {
  const value = attributeOf(item, index.sort);
  // rule: own-row-lies-in-the-list-that-is-asked
  if (value === undefined || !sameValue(attributeOf(item, index.partition), partition)) return false;
  return (
    (from === undefined || compareValues(index, from, value) <= 0) &&
    (to === undefined || compareValues(index, value, to) <= 0)
  );
}

/** A text in the order of the index. */
function orderText({ sort, attribute, type }: NativeIndex, value: AttributeValue): string {
  return encodeValue(value, sort === attribute && type === 'N' ? 'number' : 'string', AS_WRITTEN);
}

function shortHash(source: string): string {
  return hash128(source).slice(0, GIVEN_CHARACTERS);
}

/** A position as the text of a cursor: the source has its length before it, so that both may hold any text. */
function formatPosition({ value, source, given }: Position): string {
  return `${given.join('')}|${source?.length ?? ''}:${source ?? ''}${stringOf(value) ?? numberOf(value)}`;
}

function parsePosition({ sort, attribute, type }: NativeIndex, text: string): Position {
  const bar = text.indexOf('|');
  const given = Array.from({ length: bar / GIVEN_CHARACTERS }, (_, i) =>
    text.slice(i * GIVEN_CHARACTERS, (i + 1) * GIVEN_CHARACTERS),
  );
  const colon = text.indexOf(':', bar);
  const length = text.slice(bar + 1, colon);
  const end = colon + 1 + Number(length);
  const value = text.slice(end);
  return {
    given,
    source: length === '' ? undefined : text.slice(colon + 1, end),
    value: sort === attribute && type === 'N' ? { N: value } : { S: value },
  };
}
