/**
 * The beginning of a list, kept up to date by records of the stream. An index lags behind its table, and a record may come again. So
 * of two states of an item the one with the higher revision counts, wherever it comes from.
 */

/** Of a native row the record's time and number, which have more digits than a `number` holds. */
type Revision = number | bigint;

/** A row of a list. */
export interface WindowRow<Item = unknown> {
  /** The key of its item in the table, as one text. */
  id: string;
  /** Its place in the list: the sort key of the index. */
  place: string;
  /** How often the item has been written, or the number of its record: the newer one of two states has the higher one. */
  revision: Revision;
  item: Item;
}

/** A stretch of a list, as an index showed it. */
export interface Stretch<Item> {
  /** In the order of the list. */
  rows: readonly WindowRow<Item>[];
  /** The place up to which the stretch goes; undefined: up to the end of the list. */
  upTo: string | undefined;
}

/** The state of an item, as a record tells it. */
export interface ToldState<Item> {
  /** The key of the item in the table, as one text. */
  id: string;
  revision: Revision;
  /** Undefined: the item is not in the list. */
  row: WindowRow<Item> | undefined;
  /** True if nothing was there before. */
  isInsert: boolean;
}

/** The state of an item that a record told a moment ago. */
interface RecentState<Item> {
  revision: Revision;
  /** Undefined: the item is not in the list. */
  row: WindowRow<Item> | undefined;
  /** From this time on an index shows the state, or a later one; in milliseconds since 1970. */
  untilMs: number;
  /** Bytes that the state holds. */
  bytes: number;
}

/** Bytes of the states that a window keeps because its index may not show them yet. Beyond them the list is read again. */
export const MAX_RECENT_BYTES = 1_048_576;

/** How a window is made. */
export interface WindowOptions<Item> {
  /** Rows that it shows. */
  limit: number;
  /** Rows behind those, known so that a row that leaves need not be followed by a reading of all shards. */
  reserve: number;
  /** Below zero where the left place comes first in the list. */
  compare: (left: string, right: string) => number;
  /** How long an index may lag behind its table, in milliseconds. */
  indexGraceMs: number;
  /** The bytes of an item. */
  bytesOf: (item: Item) => number;
}

/** The first rows of a list. */
export class ListWindow<Item> {
  private known: WindowRow<Item>[] = [];
  /** Up to this place all rows are known; undefined: the whole list is. */
  private frontier: string | undefined;
  /** The oldest first. */
  private readonly recent = new Map<string, RecentState<Item>>();
  private recentBytes = 0;
  /** Until this time an index may not show a state that was forgotten early. */
  private unsureUntilMs = Number.NEGATIVE_INFINITY;
  private dueMs = Number.POSITIVE_INFINITY;
  /** When the reading of the index has begun that goes on now; infinite: none does. */
  private readingMs = Number.POSITIVE_INFINITY;

  constructor(private readonly options: WindowOptions<Item>) {}

  /** The rows, in the order of the list. */
  get rows(): readonly WindowRow<Item>[] {
    return this.known.slice(0, this.options.limit);
  }

  /** The number of rows to read, so that all are known that it has room for. */
  get room(): number {
    return this.most - this.known.length;
  }

  /** The rows that it knows at most. */
  get most(): number {
    return this.options.limit + this.options.reserve;
  }

  /** The rows to read from the beginning of an index, so that enough are known though it may still show rows that have left. */
  get mostFromBeginning(): number {
    return this.most + this.recent.size;
  }

  /** The place after which more rows have to be read; undefined: there are enough, or no more. */
  get lacksAfter(): string | undefined {
    return this.known.length < this.options.limit ? this.frontier : undefined;
  }

  /**
   * The time from which on the beginning of the list has to be read again, in milliseconds since 1970; infinite: it need not be. Until then a
   * row may be missing, or shown as it was.
   */
  get readAgainMs(): number {
    return this.dueMs;
  }

  /** Notes that the index is read from now on: `begin` or `extend` follows, and records may come before that. */
  read(nowMs: number): void {
    this.readingMs = nowMs;
  }

  /** Takes the beginning of the list, as an index showed it just now, instead of what was known. */
  begin(stretch: Stretch<Item>, nowMs: number): void {
    this.known = [];
    this.dueMs = Number.POSITIVE_INFINITY;
    this.frontier = stretch.upTo;
    this.merge(stretch.rows, nowMs, () => true);
  }

  /** Takes the stretch that follows a place, if that is still where the known rows end: a record may have moved their end meanwhile. */
  extend(stretch: Stretch<Item>, after: string, nowMs: number): void {
    if (this.frontier !== after) return;
    this.frontier = stretch.upTo;
    this.merge(stretch.rows, nowMs, (place) => this.options.compare(place, after) > 0);
  }

  /** Takes the state of an item that a record told. */
  receive({ id, revision, row, isInsert }: ToldState<Item>, nowMs: number): void {
    // An item that is made again counts its revisions from the beginning.
    if (!isInsert && revision <= this.revisionOf(id)) return;
    const bytes = id.length + (row === undefined ? 0 : this.options.bytesOf(row.item));
    this.forget(id);
    this.recent.set(id, { revision, row, untilMs: nowMs + this.options.indexGraceMs, bytes });
    this.recentBytes += bytes;
    this.prune(nowMs);
    this.remove(id);
    if (row !== undefined) this.insert(row);
    this.cut();
  }

  /** Forgets the states that an index shows by now, and the oldest ones of too many. */
  prune(nowMs: number): void {
    const shownMs = Math.min(nowMs, this.readingMs);
    for (const [id, { untilMs }] of this.recent) {
      const isShown = untilMs <= shownMs;
      if (!isShown && this.recentBytes <= MAX_RECENT_BYTES) return;
      if (!isShown) this.unsureUntilMs = Math.max(this.unsureUntilMs, untilMs);
      this.forget(id);
    }
  }

  private forget(id: string): void {
    this.recentBytes -= this.recent.get(id)?.bytes ?? 0;
    this.recent.delete(id);
  }

  /** Merges rows of an index with what records have told; `isNew` says whether a place lies in the stretch. */
  private merge(rows: readonly WindowRow<Item>[], nowMs: number, isNew: (place: string) => boolean): void {
    this.prune(nowMs);
    this.readingMs = Number.POSITIVE_INFINITY;
    if (this.unsureUntilMs > nowMs) this.dueMs = Math.min(this.dueMs, this.unsureUntilMs);
    for (const row of rows) {
      if (this.revisionOf(row.id) >= row.revision) continue;
      this.remove(row.id);
      this.insert(row);
    }
    for (const { row } of this.recent.values()) {
      // rule: index-may-not-show-new-rows-yet
      if (row === undefined || !isNew(row.place) || this.known.some(({ id }) => id === row.id)) continue;
      this.insert(row);
    }
    this.cut();
  }

  /** The newest known revision of an item; below all revisions where none is known. */
  private revisionOf(id: string): Revision {
    const present = this.known.find((row) => row.id === id)?.revision ?? -1;
    const told = this.recent.get(id)?.revision ?? -1;
    return told > present ? told : present;
  }

  private remove(id: string): void {
    const at = this.known.findIndex((row) => row.id === id);
    if (at >= 0) this.known.splice(at, 1);
  }

  /** Puts a row into its place, if all rows up to there are known. */
  private insert(row: WindowRow<Item>): void {
    const { compare } = this.options;
    if (this.frontier !== undefined && compare(row.place, this.frontier) > 0) return;
    const at = this.known.findIndex(({ place }) => compare(place, row.place) > 0);
    this.known.splice(at < 0 ? this.known.length : at, 0, row);
  }

  /** Forgets the rows that there is no room for. */
  private cut(): void {
    if (this.known.length <= this.most) return;
    this.known.length = this.most;
    this.frontier = this.known.at(-1)!.place;
  }
}

/** One step from one state of a list to the next one: the steps are taken one after the other. */
export interface ListStep<Item> {
  type: 'enter' | 'leave' | 'change';
  row: WindowRow<Item>;
  /** The index in the list as the steps before have left it. */
  at: number;
}

/** The steps from one state of a list to another. A row that has moved leaves and enters. */
export function stepsBetween<Item>(
  before: readonly WindowRow<Item>[],
  after: readonly WindowRow<Item>[],
  isSame: (left: Item, right: Item) => boolean,
): ListStep<Item>[] {
  const steps: ListStep<Item>[] = [];
  const placeAfter = new Map(after.map(({ id, place }) => [id, place]));
  const left: WindowRow<Item>[] = [];
  // From the end, so that the indexes of the others stay.
  for (let at = before.length - 1; at >= 0; at--) {
    const row = before[at]!;
    if (placeAfter.get(row.id) === row.place) left.unshift(row);
    else steps.push({ type: 'leave', row, at });
  }
  for (const [at, row] of after.entries()) {
    if (left[at]?.id !== row.id) {
      left.splice(at, 0, row);
      steps.push({ type: 'enter', row, at });
    } else if (!isSame(left[at].item, row.item)) steps.push({ type: 'change', row, at });
  }
  return steps;
}
