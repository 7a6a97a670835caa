import { type Item, itemSizeBytes, numberOf, sameValue } from '../../core/items/attribute-value.ts';
import { ATTRIBUTES, REVISION, revisionOf, valueIn } from '../../core/items/derived-item.ts';
import { compareKeys } from '../../core/items/encoding.ts';
import { type IndexPartitionKey, textOfKey } from '../../core/items/keys.ts';
import { viewAttributes } from '../../core/items/stored-view.ts';
import type { IndexName } from '../../core/model/compiled.ts';
import { ENDS, hasCome } from '../../core/model/ends.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { walkedItem } from '../../store/table-walk.ts';
import type { ChangedItem } from '../../stream/changed-items.ts';
import { DEFAULT_MAX_RCU } from '../read/lists/budget.ts';
import { gatherNative } from '../read/lists/native-list.ts';
import type { NativeList, PlacedList } from '../read/lists/placed-list.ts';
import { gatherPage, hasProjected } from '../read/lists/scatter.ts';
import { isInRange } from '../read/request/key-range.ts';
import type { ReadContext } from '../read/request/read-context.ts';
import { entryIn, toldRevision } from './known-items.ts';
import { type ListStep, ListWindow, type Stretch, stepsBetween, type WindowRow } from './list-window.ts';
import { isNativeChange } from './native-changes.ts';

export interface ListQuery<Result> extends Omit<PlacedList, 'itemKeys' | 'ofKept'> {
  limit: number;
  resultOf: (item: Item) => Result;
}

interface RowsToRead {
  limit: number;
  least: number;
}

/** Lists with more partitions keep more rows, since replacing one costs more there. */
const MOST_RESERVE = 100;

export class WatchedList<Result> {
  private readonly window: ListWindow<Item>;
  private readonly partitions: ReadonlySet<string>;
  private readonly compare: (left: string, right: string) => number;

  constructor(
    private readonly query: ListQuery<Result>,
    indexGraceMs: number,
  ) {
    const { limit, reverse, partitions } = query;
    const reserve = Math.min(MOST_RESERVE, Math.max(limit, partitions.length));
    this.compare = reverse ? (left, right) => compareKeys(right, left) : compareKeys;
    this.window = new ListWindow({ limit, reserve, compare: this.compare, indexGraceMs, bytesOf: itemSizeBytes });
    this.partitions = new Set(query.partitions);
  }

  isIn(partitions: readonly IndexPartitionKey[]): boolean {
    return partitions.length === this.partitions.size && partitions.every((key) => this.partitions.has(key));
  }

  get rows(): readonly WindowRow<Item>[] {
    return this.window.rows;
  }

  get isLacking(): boolean {
    return this.window.lacksAfter !== undefined;
  }

  resultOf({ item }: WindowRow<Item>): Result {
    return this.query.resultOf(item);
  }

  /** In milliseconds since 1970; infinite if it needn't be read. */
  get readAgainMs(): number {
    // A row leaves when it ends, without a record.
    const ends = this.rows.map(({ item }) =>
      Number(numberOf(viewAttributes(item)?.[ENDS]) ?? Number.POSITIVE_INFINITY),
    );
    return Math.min(this.window.readAgainMs, 1000 * Math.min(...ends, Number.POSITIVE_INFINITY));
  }

  async begin(context: ReadContext, now: () => number): Promise<void> {
    const atMs = now();
    this.window.read(atMs);
    this.window.begin(await this.read(context), atMs);
    await this.complete(context, now);
  }

  async complete(context: ReadContext, now: () => number): Promise<void> {
    this.window.prune(now());
    // A native index doesn't define the order of rows with the same value, so no place tells where to continue.
    if (this.query.native !== undefined && this.isLacking) return await this.begin(context, now);
    for (let after = this.window.lacksAfter; after !== undefined; after = this.window.lacksAfter) {
      const atMs = now();
      this.window.read(atMs);
      const least = this.query.limit - this.window.rows.length;
      this.window.extend(await this.readDerived(context, { limit: this.window.room, least }, after), after, atMs);
    }
  }

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

  stepsBetween(
    before: readonly WindowRow<Item>[],
    after: readonly WindowRow<Item>[],
  ): (Omit<ListStep<Item>, 'row'> & { item: Result })[] {
    const isSame = (left: Item, right: Item): boolean => isSameRow(this.query.index, left, right);
    return stepsBetween(before, after, isSame).map(({ row, ...step }) => ({ ...step, item: this.resultOf(row) }));
  }

  private async read(context: ReadContext): Promise<Stretch<Item>> {
    const { native, limit } = this.query;
    const { most, mostFromBeginning } = this.window;
    if (native === undefined) return await this.readDerived(context, { limit: most, least: limit });
    // A native index may still show rows that have left, and nothing behind them is read.
    const least = mostFromBeginning - (most - limit);
    return await this.readNative(context, native, { limit: mostFromBeginning, least });
  }

  /** The stretch ends at the last row that the index gave: it has all rows with earlier values. */
  private async readNative(
    context: ReadContext,
    list: NativeList,
    { limit, least }: RowsToRead,
  ): Promise<Stretch<Item>> {
    const { items, lastKey } = await gatherNative(context, list, { ...this.query, limit, own: [] });
    this.requireRows(items.length, least, lastKey);
    // Rows of an index without revisions are older than any record.
    const rows = items.map((item) => this.rowOf(textOfKey(walkedItem(context.graph, item)), item));
    const last = rows
      .map(({ place }) => place)
      .sort(this.compare)
      .at(-1);
    return { rows, upTo: lastKey === undefined ? undefined : last };
  }

  private async readDerived(
    context: ReadContext,
    { limit, least }: RowsToRead,
    after?: string,
  ): Promise<Stretch<Item>> {
    const { items, lastKey } = await gatherPage(context, { ...this.query, after, limit });
    this.requireRows(items.length, least, lastKey);
    const keys = items.map((item) => walkedItem(context.graph, item));
    // An index that projects all attributes shows the revision. Otherwise the table has it.
    const isWhole = items.every((item) => item[REVISION] !== undefined);
    const stored = isWhole ? items : (await context.store.getMany(keys, { consistent: false })).items;
    const rows = keys.flatMap((key, i): WindowRow<Item>[] => {
      const item = stored[i];
      return item !== undefined && this.holds(item) ? [this.rowOf(textOfKey(key), item)] : [];
    });
    return { rows, upTo: lastKey };
  }

  /** A reading that ended too early would be repeated again and again. */
  private requireRows(found: number, least: number, lastKey: string | undefined): void {
    if (lastKey === undefined || found >= least) return;
    const { maxRcu = DEFAULT_MAX_RCU, limit } = this.query;
    throw new EdgeloomError(
      'list-not-filled',
      `${maxRcu} read units did not find the first ${limit} rows of the watched list: its index has many items that the list leaves out.`,
      'Watch a narrower range, or fewer rows; or raise maxRcu.',
    );
  }

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

function hasEnded(row: Item, nowMs: number): boolean {
  return hasCome(viewAttributes(row)?.[ENDS], nowMs / 1000);
}

export function isSameRow(index: IndexName, left: Item, right: Item): boolean {
  return [ATTRIBUTES, valueIn(index)].every((name) => sameValue(left[name], right[name]));
}
