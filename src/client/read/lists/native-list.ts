import {
  type AttributeValue,
  attributeOf,
  type Item,
  sameValue,
  stringOf,
} from '../../../core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../../core/items/derived-item.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import type { NativeIndex } from '../../../core/model/native-indexes.ts';
import { faultOfNativeKey } from '../../../core/model/native-misfits.ts';
import type { NativeQueryRequest, Store } from '../../../core/store-port.ts';
import type { OwnWrite } from '../../session/own-writes.ts';
import { MOST_GIVEN } from '../request/cursor.ts';
import { isInRange, sendableRange } from '../request/key-range.ts';
import { nativeItemsOf } from './native-items.ts';
import { compareValues, formatPosition, type Position, parsePosition, shortHash } from './native-position.ts';
import { NativeWalk } from './native-walk.ts';
import type { NativeList, PlacedList } from './placed-list.ts';
import { type Gathered, hasProjected } from './scatter.ts';

export type NativePage = Pick<PlacedList, 'index' | 'range' | 'reverse' | 'where' | 'maxRcu' | 'accept'> & {
  after?: string | undefined;
  limit: number;
  own: readonly OwnWrite[];
};

interface NativeContext {
  graph: CompiledModel;
  store: Pick<Store, 'queryNative'>;
}

type NativeListInPartition = NativeList & { partition: AttributeValue };

interface Place {
  value: AttributeValue;
  source: string;
  isOwn: boolean;
}

interface Row extends Place {
  item: Item;
}

/**
 * Turns rows of a native index, which are base items, into the index items that the projector would have derived.
 * DynamoDB doesn't define the order of rows with the same value, so a page continues after the last row read, and a
 * session's own rows come first among rows of their value. The cursor names the own rows already returned, so that they
 * don't recur once the index has them.
 */
export async function readNativePage(context: NativeContext, list: NativeList, page: NativePage): Promise<Gathered> {
  const { partition } = list;
  if (partition === undefined) return { items: [] };
  return await new NativePageReader(context, { ...list, partition }, page).read();
}

class NativePageReader {
  private readonly after: Position | undefined;
  private readonly ownSources: ReadonlySet<string>;
  private readonly inPlace: ReadonlyMap<string, Row>;
  private readonly ownFirst: readonly Row[];

  constructor(
    private readonly context: NativeContext,
    private readonly list: NativeListInPartition,
    private readonly page: NativePage,
  ) {
    this.after = page.after === undefined ? undefined : parsePosition(list.index, page.after);
    this.ownSources = new Set(page.own.map(({ source }) => source));
    const own = this.ownRows();
    this.inPlace = new Map(own.filter((row) => this.isInPlace(row)).map((row) => [row.source, row]));
    this.ownFirst = own.flatMap((row) => (this.isInPlace(row) ? [] : [{ ...row, isOwn: true }]));
  }

  async read(): Promise<Gathered> {
    const { context, list, page } = this;
    const { limit, reverse } = page;
    const rows: Row[] = [];
    const walk = new NativeWalk(context.store, requestAfter(context.graph, list, this.after, reverse), page);
    let stand: Place | undefined;
    do {
      const lastKey = await walk.readOn(limit + 1 - rows.length, (item) => {
        const row = this.rowToShow(item);
        if (row !== undefined) rows.push(row);
        return row !== undefined;
      });
      stand = lastKey && placeOf(context.graph, list.index, lastKey);
      // At least one call is made, so each page advances.
    } while (stand !== undefined && rows.length <= limit && !walk.isSpent);
    return this.pageOf(rows, stand);
  }

  private ownRows(): Row[] {
    const { context, list, page } = this;
    const rows = page.own.flatMap(({ item }) =>
      item === undefined || !isInList(list, item) ? [] : (rowOf(context, list, item) ?? []),
    );
    return rows.filter((row) => this.isWanted(row) && this.behindAfter(row.value) >= 0 && !this.isGiven(row));
  }

  private rowToShow(item: Item): Row | undefined {
    const { context, list } = this;
    const place = placeOf(context.graph, list.index, item);
    if (this.isGiven(place)) return undefined;
    const now = this.isInPlace(place) ? this.inPlace.get(place.source) : undefined;
    // The index may be stale for an item that was just written.
    const row = this.ownSources.has(place.source) ? now : rowOf(context, list, item);
    return row !== undefined && this.isWanted(row) ? row : undefined;
  }

  /** @param stand where the walk stopped; undefined at the end of the list. */
  private pageOf(rows: readonly Row[], stand: Place | undefined): Gathered {
    const { limit } = this.page;
    const isAtEnd = stand === undefined;
    // Rows after the last one read may come before an own row.
    // rule: own-rows-behind-what-was-read-wait
    const known =
      isAtEnd || rows.length > limit ? this.ownFirst : this.ownFirst.filter((row) => this.compare(row, stand) < 0);
    const merged = [...known, ...rows].sort((left, right) => this.compare(left, right));
    const given = merged.slice(0, limit);
    const items = given.map(({ item }) => item);
    const last = merged.length > limit ? given.at(-1)! : stand;
    return last === undefined ? { items } : { items, lastKey: formatPosition(this.positionOf(last, given)) };
  }

  private positionOf(last: Place, given: readonly Row[]): Position {
    const before = this.behindAfter(last.value) === 0 ? this.after!.given : [];
    const own = given.filter((row) => row.isOwn && compareValues(this.list.index, row.value, last.value) === 0);
    return {
      value: last.value,
      source: last.isOwn ? undefined : last.source,
      given: [...before, ...own.map(({ source }) => shortHash(source))].slice(-MOST_GIVEN),
    };
  }

  private isWanted({ item }: Row): boolean {
    return isInNativeList(this.page, item) && hasProjected(item, this.page.where);
  }

  private compare(left: Place, right: Place): number {
    return comparePlaces(this.list.index, left, right, this.page.reverse);
  }

  private behindAfter(value: AttributeValue): number {
    if (this.after === undefined) return 1;
    return compareValues(this.list.index, value, this.after.value) * (this.page.reverse ? -1 : 1);
  }

  private isGiven({ value, source }: Place): boolean {
    return this.behindAfter(value) === 0 && this.after?.given.includes(shortHash(source)) === true;
  }

  /**
   * Once a page has returned index rows of this value, own rows keep their place in the index: they may have been there
   * before the session wrote them.
   */
  private isInPlace({ value }: Place): boolean {
    return this.after?.source !== undefined && this.behindAfter(value) === 0;
  }
}

/** Widens ends that DynamoDB refuses: empty texts, and texts that are too long for a key. */
export function sendableEnds({ from, to }: Pick<NativeList, 'from' | 'to'>): Pick<NativeList, 'from' | 'to'> {
  const range = sendableRange({ from: stringOf(from), to: stringOf(to) });
  const low = stringOf(from) === undefined ? from : textEnd(range.from);
  // Nothing sorts below the lowest key, so it can replace an empty text.
  const high = stringOf(to) === undefined ? to : textEnd(range.to === '' ? LOWEST_KEY : range.to);
  return { from: low, to: high };
}

const LOWEST_KEY = '\u0000';

function textEnd(text: string | undefined): AttributeValue | undefined {
  return text === undefined || text === '' ? undefined : { S: text };
}

export async function countNative(
  context: NativeContext,
  list: NativeList,
  page: Pick<NativePage, 'index' | 'range' | 'accept' | 'maxRcu'>,
): Promise<{ count: number; isCut: boolean }> {
  const { partition } = list;
  let count = 0;
  if (partition === undefined) return { count, isCut: false };
  const request = requestAfter(context.graph, { ...list, partition }, undefined, false);
  const walk = new NativeWalk(context.store, request, { maxRcu: page.maxRcu });
  for (;;) {
    const lastKey = await walk.readOn(Number.POSITIVE_INFINITY, (item) => {
      const row = rowOf(context, list, item);
      if (row === undefined || !isInNativeList(page, row.item)) return false;
      count += 1;
      return true;
    });
    if (lastKey === undefined || walk.isSpent) return { count, isCut: lastKey !== undefined };
  }
}

/** The range of the Query may be wider than the list's. */
function isInNativeList({ index, range, accept }: Pick<NativePage, 'index' | 'range' | 'accept'>, item: Item): boolean {
  return accept(item) && isInRange(range, stringOf(item[INDEX_KEYS[index].sort]) ?? '');
}

function rowOf({ graph }: Pick<NativeContext, 'graph'>, list: NativeList, base: Item): Row | undefined {
  // DynamoDB leaves an item with an invalid key out of the index. dynoxide doesn't if the item is older than the index.
  if (faultOfNativeKey(list.index, attributeOf(base, list.index.attribute)!) !== undefined) return undefined;
  const item = nativeItemsOf(graph, base).get(list.itemKey);
  return item && { item, ...placeOf(graph, list.index, base) };
}

function placeOf({ table }: CompiledModel, { sort }: NativeIndex, item: Item): Place {
  return { value: attributeOf(item, sort)!, source: stringOf(item[table.partitionKey]) ?? '', isOwn: false };
}

function requestAfter(
  { table }: CompiledModel,
  { index, partition, from, to }: NativeListInPartition,
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
  // The key is complete: every native index has the table's sort key as one of its keys.
  return { ...whole, startKey: key };
}

/** Rows of equal value stay in the index's order, except that own rows come first. */
function comparePlaces(index: NativeIndex, left: Place, right: Place, reverse: boolean): number {
  const byValue = compareValues(index, left.value, right.value);
  if (byValue !== 0) return reverse ? -byValue : byValue;
  // rule: own-rows-come-before-others-of-their-value
  return Number(right.isOwn) - Number(left.isOwn);
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
