import { type Item, itemSizeBytes, numberOf, sameValue } from '../../core/items/attribute-value.ts';
import { ATTRIBUTES, REVISION, revisionOf, valueIn } from '../../core/items/derived-item.ts';
import { compareKeys } from '../../core/items/encoding.ts';
import type { Filter } from '../../core/items/filter.ts';
import { type IndexPartitionKey, textOfKey } from '../../core/items/keys.ts';
import { viewAttributes } from '../../core/items/stored-view.ts';
import type { IndexName } from '../../core/model/compiled.ts';
import { ENDS, hasCome } from '../../core/model/ends.ts';
import { walkedItem } from '../../store/table-walk.ts';
import type { ChangedItem } from '../../stream/changed-items.ts';
import { gatherNative, type NativeList } from '../read/lists/native.ts';
import { gatherPage, hasProjected } from '../read/lists/scatter.ts';
import type { ReadContext } from '../read/request/context.ts';
import { isInRange, type KeyRange } from '../read/request/key-range.ts';
import { entryIn, toldRevision } from './known-items.ts';
import { type ListStep, ListWindow, type Stretch, stepsBetween, type WindowRow } from './list-window.ts';
import { isNativeChange } from './native-changes.ts';

/** A list that can be watched: a query, with its places as they are stored at the moment. */
export interface ListQuery<Result> {
  index: IndexName;
  partitions: readonly IndexPartitionKey[];
  /** Sort keys of the index. */
  range: KeyRange;
  isReverse: boolean;
  limit: number;
  /** Values that projected attributes have to have. */
  where: Filter | undefined;
  /** The question to the index of a native list; undefined: the list is derived. */
  native: NativeList | undefined;
  /** Tells whether an item of the range belongs to the list. */
  accept: (item: Item) => boolean;
  /** Makes the result of an item, as the reader gives it. */
  resultOf: (item: Item) => Result;
}

/** Rows that are read behind the shown ones, at most. The more partitions a list has, the dearer is a reading for a row that has left. */
const MOST_RESERVE = 100;

/** The first rows of a list, with the calls and the records that keep them up to date. */
export class WatchedList<Result> {
  private readonly window: ListWindow<Item>;
  private readonly partitions: ReadonlySet<string>;
  private readonly compare: (left: string, right: string) => number;

  constructor(
    private readonly query: ListQuery<Result>,
    indexGraceMs: number,
  ) {
    const { limit, isReverse, partitions } = query;
    const reserve = Math.min(MOST_RESERVE, Math.max(limit, partitions.length));
    this.compare = isReverse ? (left, right) => compareKeys(right, left) : compareKeys;
    this.window = new ListWindow({ limit, reserve, compare: this.compare, indexGraceMs, bytesOf: itemSizeBytes });
    this.partitions = new Set(query.partitions);
  }

  /** Tells whether another query asks the same places. */
  isIn(partitions: readonly IndexPartitionKey[]): boolean {
    return partitions.length === this.partitions.size && partitions.every((key) => this.partitions.has(key));
  }

  /** The rows, in the order of the list. */
  get rows(): readonly WindowRow<Item>[] {
    return this.window.rows;
  }

  /** True if rows have to be read from behind. */
  get isLacking(): boolean {
    return this.window.lacksAfter !== undefined;
  }

  /** The result of a row, as the reader gives it. */
  resultOf({ item }: WindowRow<Item>): Result {
    return this.query.resultOf(item);
  }

  /** The time from which on the list has to be read from its beginning, in milliseconds since 1970; infinite: it need not be. */
  get readAgainMs(): number {
    // A row leaves when it ends, though no record tells of it.
    const ends = this.rows.map(({ item }) =>
      Number(numberOf(viewAttributes(item)?.[ENDS]) ?? Number.POSITIVE_INFINITY),
    );
    return Math.min(this.window.readAgainMs, 1000 * Math.min(...ends, Number.POSITIVE_INFINITY));
  }

  /** Reads the beginning of the list. */
  async begin(context: ReadContext, now: () => number): Promise<void> {
    const atMs = now();
    this.window.read(atMs);
    this.window.begin(await this.read(context), atMs);
    await this.complete(context, now);
  }

  /** Reads the rows that come up from behind. */
  async complete(context: ReadContext, now: () => number): Promise<void> {
    this.window.prune(now());
    // A native index promises no order of rows with one value, so that no place says where to go on.
    if (this.query.native !== undefined && this.isLacking) return await this.begin(context, now);
    for (let after = this.window.lacksAfter; after !== undefined; after = this.window.lacksAfter) {
      const atMs = now();
      this.window.read(atMs);
      this.window.extend(await this.readDerived(context, this.window.room, after), after, atMs);
    }
  }

  /** Takes in a record. */
  receive(change: ChangedItem, nowMs: number): void {
    const { source, target, oldImage, newImage } = change;
    const image = newImage ?? oldImage;
    if (image === undefined || !this.query.accept(image)) return;
    const id = textOfKey({ source, target });
    const isNative = isNativeChange(change);
    const revision = isNative ? change.revision : toldRevision(change);
    const isInList = newImage !== undefined && this.holds(newImage) && !hasEnded(newImage, nowMs);
    this.window.receive(
      {
        ...{ id, revision },
        row: isInList ? { ...this.rowOf(id, newImage), revision } : undefined,
        isInsert: !isNative && oldImage === undefined,
      },
      nowMs,
    );
  }

  /** The steps from rows that it had to rows that it has. */
  stepsBetween(
    before: readonly WindowRow<Item>[],
    after: readonly WindowRow<Item>[],
  ): (Omit<ListStep<Item>, 'row'> & { item: Result })[] {
    const isSame = (left: Item, right: Item): boolean => isSameRow(this.query.index, left, right);
    return stepsBetween(before, after, isSame).map(({ row, ...step }) => ({ ...step, item: this.resultOf(row) }));
  }

  private async read(context: ReadContext): Promise<Stretch<Item>> {
    const { native } = this.query;
    return native === undefined
      ? await this.readDerived(context, this.window.most)
      : await this.readNative(context, native, this.window.mostFromBeginning);
  }

  /** Its last place is that of a row that the index gave: all rows with a value before its value are in the stretch. */
  private async readNative(context: ReadContext, list: NativeList, limit: number): Promise<Stretch<Item>> {
    const { isReverse: reverse, where } = this.query;
    const accept = (item: Item): boolean => this.query.accept(item) && this.holds(item);
    // A window has all of its rows, whatever lies between them.
    const maxRcu = Number.POSITIVE_INFINITY;
    const { items, lastKey } = await gatherNative(context, { list, reverse, limit, where, maxRcu, accept, own: [] });
    // An index row tells no revision: each record that comes is taken for newer.
    const rows = items.map((item) => this.rowOf(textOfKey(walkedItem(context.graph, item)), item));
    const last = rows
      .map(({ place }) => place)
      .sort(this.compare)
      .at(-1);
    return { rows, upTo: lastKey === undefined ? undefined : last };
  }

  private async readDerived(context: ReadContext, limit: number, after?: string): Promise<Stretch<Item>> {
    const { index, partitions, range, isReverse, where, accept } = this.query;
    const request = { index, partitions, range, after, reverse: isReverse, limit, where, accept };
    const { items, lastKey } = await gatherPage(context, request);
    const keys = items.map((item) => walkedItem(context.graph, item));
    // An index of all attributes shows the revision, too. One of what readers need does not: the table has it, with a state that is as new.
    const isWhole = items.every((item) => item[REVISION] !== undefined);
    const stored = isWhole ? items : (await context.store.getMany(keys, { consistent: false })).items;
    const rows = keys.flatMap((key, i): WindowRow<Item>[] => {
      const item = stored[i];
      return item !== undefined && this.holds(item) ? [this.rowOf(textOfKey(key), item)] : [];
    });
    return { rows, upTo: lastKey };
  }

  /** Tells whether an item of the projection is in the list. */
  private holds(item: Item): boolean {
    const { index, range, where } = this.query;
    const entry = entryIn(index, item);
    if (entry === undefined || !this.partitions.has(entry.partition)) return false;
    return isInRange(range, entry.sort) && hasProjected(item, where);
  }

  private rowOf(id: string, item: Item): WindowRow<Item> {
    const place = entryIn(this.query.index, item)?.sort ?? '';
    return { id, place, revision: Number(revisionOf(item) ?? 0), item };
  }
}

/** Tells whether the base item of a row is over. */
function hasEnded(row: Item, nowMs: number): boolean {
  return hasCome(viewAttributes(row)?.[ENDS], nowMs / 1000);
}

/** Tells whether two states of a row of an index show the same. */
export function isSameRow(index: IndexName, left: Item, right: Item): boolean {
  return [ATTRIBUTES, valueIn(index)].every((name) => sameValue(left[name], right[name]));
}
