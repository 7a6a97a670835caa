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
import { derivedInstead, type NativeIndex } from '../../../core/model/native-indexes.ts';
import { faultOfNativeKey } from '../../../core/model/native-misfits.ts';
import { derivedOf } from '../../../core/plan/derive.ts';
import type { NativeQueryRequest, Store } from '../../../core/store-port.ts';
import type { OwnWrite } from '../../session/own-writes.ts';
import { GIVEN_CHARACTERS, MOST_GIVEN } from '../request/cursor.ts';
import { sendableRange } from '../request/key-range.ts';
import { Budget, DEFAULT_MAX_RCU, LEAST_FILTERED } from './budget.ts';
import { type Gathered, hasProjected, MOST_ASKED } from './scatter.ts';

/**
 * A row of a native index is a base item, which readers turn into the index item that the projector would have derived.
 * DynamoDB doesn't define the order of rows with the same value: a page continues where the index stands, and a
 * session's own rows come first among the rows of their value. The cursor names them, since the index has them as well.
 */

export interface NativeList {
  index: NativeIndex;
  /** Undefined: no item can have the requested value. */
  partition: AttributeValue | undefined;
  /** Both ends inclusive; possibly wider than requested. */
  from?: AttributeValue | undefined;
  to?: AttributeValue | undefined;
  /** The sort key of the item that the projector would have derived from a row. */
  itemKey: string;
}

export interface NativePage {
  list: NativeList;
  after?: string | undefined;
  reverse: boolean;
  limit: number;
  where?: Filter | undefined;
  /** Read capacity units. Default: 50 in addition to the returned rows. */
  maxRcu?: number | undefined;
  accept: (item: Item) => boolean;
  own: readonly OwnWrite[];
}

interface NativeContext {
  graph: CompiledModel;
  store: Pick<Store, 'queryNative'>;
}

interface Place {
  value: AttributeValue;
  source: string;
  isOwn: boolean;
}

interface Row extends Place {
  item: Item;
}

interface Position {
  value: AttributeValue;
  /** The last item of the value that came from the index; undefined: so far only the session's. */
  source?: string | undefined;
  /** Own rows of the value that came before those of the index, as short hashes of their sources. */
  given: readonly string[];
}

export async function gatherNativePage(
  context: NativeContext,
  page: NativePage,
  cursorAt: (lastKey: string) => string,
): Promise<Gathered & { cursor?: string }> {
  const gathered = await gatherNative(context, page);
  const { lastKey } = gathered;
  return lastKey === undefined ? gathered : { ...gathered, cursor: cursorAt(lastKey) };
}

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
  // Once the index has given rows of a value, own rows come where the index has them: they may have been there before
  // the session wrote them.
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
  const walk = new NativeWalk(context.store, requestAfter(context.graph, { ...list, partition }, after, reverse), page);
  let stand: Place | undefined;
  do {
    const lastKey = await walk.readOn(limit + 1 - rows.length, (item) => {
      const place = placeOf(context.graph, list.index, item, false);
      if (isGiven(place)) return false;
      // The index may be stale for an item that was just written.
      // rule: every-native-row-of-an-own-item-is-replaced
      const isReplaced = ownSources.has(place.source);
      const now = isInPlace(place) ? inPlace.get(place.source) : undefined;
      const row = isReplaced ? now : rowOf(context, list, item, false);
      if (row === undefined || !isWanted(row.item)) return false;
      rows.push(row);
      return true;
    });
    stand = lastKey && placeOf(context.graph, list.index, lastKey, false);
    // Each call makes progress, so no page repeats forever.
  } while (stand !== undefined && rows.length <= limit && !walk.isSpent);
  const isAtEnd = stand === undefined;
  // Rows after the last one read may come before an own row.
  // rule: own-rows-behind-what-was-read-wait
  const known = isAtEnd || rows.length > limit ? own : own.filter((row) => compare(row, stand!) < 0);
  const merged = [...known, ...rows].sort(compare);
  const given = merged.slice(0, limit);
  // rule: native-page-goes-on-behind-its-last-item
  const last = merged.length > limit ? given.at(-1)! : isAtEnd ? undefined : stand;
  const answer: Gathered = { items: given.map(({ item }) => item), calls: walk.budget.calls };
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

/** Calls grow while items are left out, so that a long stretch of them takes few calls. */
class NativeWalk {
  readonly budget: Budget;
  private leftOut = 0;

  constructor(
    private readonly store: NativeContext['store'],
    private request: NativeQueryRequest,
    private readonly bounds: Pick<NativePage, 'where' | 'maxRcu'>,
  ) {
    this.budget = new Budget(bounds.maxRcu ?? DEFAULT_MAX_RCU);
  }

  get isSpent(): boolean {
    return this.budget.callsLeft() <= 0;
  }

  /** Returns the key of the last item read; undefined at the end of the index. */
  async readOn(missing: number, take: (item: Item) => boolean): Promise<Item | undefined> {
    const { budget, bounds } = this;
    const { items, lastKey, rcu, scanned } = await this.store.queryNative({
      ...this.request,
      limit: this.itemsToAskFor(missing),
    });
    budget.spend(rcu, scanned);
    const taken = items.filter(take).length;
    this.leftOut = scanned - taken;
    // Without `maxRcu`, returned items don't count, however large they are.
    if (bounds.maxRcu === undefined && scanned > 0) budget.refund((rcu * taken) / scanned);
    if (lastKey !== undefined) this.request = { ...this.request, startKey: lastKey };
    return lastKey;
  }

  private itemsToAskFor(missing: number): number {
    const { budget, leftOut } = this;
    const { where, maxRcu } = this.bounds;
    const isFiltered = where !== undefined || leftOut > 0;
    const asked = isFiltered ? Math.max(LEAST_FILTERED, missing + 4 * leftOut) : missing;
    // Before the first call the size of items is unknown, and a page that leaves nothing out costs what its limit says.
    const isPaid = maxRcu === undefined && leftOut === 0 && missing !== Number.POSITIVE_INFINITY;
    const affordable = isPaid ? Number.POSITIVE_INFINITY : budget.itemsOfCall(1);
    return Math.max(1, Math.min(asked, affordable, MOST_ASKED));
  }
}

/** DynamoDB refuses an empty text, or one too long for a key: such an end is moved outwards. */
export function sendableEnds({
  from,
  to,
}: {
  from: AttributeValue | undefined;
  to: AttributeValue | undefined;
}): Pick<NativeList, 'from' | 'to'> {
  const range = sendableRange({ from: stringOf(from), to: stringOf(to) });
  const low = stringOf(from) === undefined ? from : textEnd(range.from);
  // Nothing sorts below the lowest key, so it stands for an empty text.
  const high = stringOf(to) === undefined ? to : textEnd(range.to === '' ? LOWEST_KEY : range.to);
  return { from: low, to: high };
}

const LOWEST_KEY = '\u0000';

function textEnd(text: string | undefined): AttributeValue | undefined {
  return text === undefined || text === '' ? undefined : { S: text };
}

export async function countNative(
  context: NativeContext,
  { list, accept, maxRcu }: Pick<NativePage, 'list' | 'accept' | 'maxRcu'>,
): Promise<{ count: number; isCut: boolean }> {
  const request = wholeRequest(context, list);
  let count = 0;
  if (request === undefined) return { count, isCut: false };
  const walk = new NativeWalk(context.store, request, { maxRcu });
  for (;;) {
    const lastKey = await walk.readOn(Number.POSITIVE_INFINITY, (item) => {
      const row = rowOf(context, list, item, false);
      if (row === undefined || !accept(row.item)) return false;
      count += 1;
      return true;
    });
    if (lastKey === undefined || walk.isSpent) return { count, isCut: lastKey !== undefined };
  }
}

function wholeRequest({ graph }: Pick<NativeContext, 'graph'>, list: NativeList): NativeQueryRequest | undefined {
  const { partition } = list;
  return partition && requestAfter(graph, { ...list, partition }, undefined, false);
}

export function nativeItemOf(graph: CompiledModel, itemKey: string, base: Item): Item | undefined {
  return nativeItemsOf(graph, base).get(itemKey);
}

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
  // DynamoDB leaves out such an item. dynoxide doesn't if the item is older than the index.
  if (faultOfNativeKey(list.index, attributeOf(base, list.index.attribute)!) !== undefined) return undefined;
  const item = nativeItemOf(graph, list.itemKey, base);
  return item && { item, ...placeOf(graph, list.index, base, isOwn) };
}

function placeOf({ table }: CompiledModel, { sort }: NativeIndex, item: Item, isOwn: boolean): Place {
  return { value: attributeOf(item, sort)!, source: stringOf(item[table.partitionKey]) ?? '', isOwn };
}

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
  // Every native index has the table's sort key as one of its keys.
  return { ...whole, startKey: key };
}

/** The table's own keys only decide if they are the index's sort key. */
function comparePlaces(index: NativeIndex, left: Place, right: Place, reverse: boolean): number {
  const byValue = compareValues(index, left.value, right.value);
  if (byValue !== 0) return reverse ? -byValue : byValue;
  // rule: own-rows-come-before-others-of-their-value
  return Number(right.isOwn) - Number(left.isOwn);
}

function compareValues(index: NativeIndex, left: AttributeValue, right: AttributeValue): number {
  return compareKeys(orderText(index, left), orderText(index, right));
}

function isInList({ index, partition, from, to }: NativeList, item: Item): boolean {
  const value = attributeOf(item, index.sort);
  // rule: own-row-lies-in-the-list-that-is-asked
  if (value === undefined || !sameValue(attributeOf(item, index.partition), partition)) return false;
  return (
    (from === undefined || compareValues(index, from, value) <= 0) &&
    (to === undefined || compareValues(index, value, to) <= 0)
  );
}

function orderText({ sort, attribute, type }: NativeIndex, value: AttributeValue): string {
  return encodeValue(value, sort === attribute && type === 'N' ? 'number' : 'string', AS_WRITTEN);
}

function shortHash(source: string): string {
  return hash128(source).slice(0, GIVEN_CHARACTERS);
}

/** The source's length precedes it, since both may be any text. */
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
