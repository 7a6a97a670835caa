/**
 * The first rows of a list, kept up to date by stream records. An index lags behind its table and records may repeat,
 * so the state with the higher revision always wins, wherever it comes from.
 */

/** A native row's revision combines time and sequence number, which exceeds a safe integer. */
type Revision = number | bigint;

export interface WindowRow<Item = unknown> {
  /** The key of its item in the table. */
  id: string;
  /** The sort key of the index. */
  place: string;
  /** How often the item has been written or, for a native row, the number of its record: the higher one is newer. */
  revision: Revision;
  item: Item;
}

export interface Stretch<Item> {
  rows: readonly WindowRow<Item>[];
  /** The place where the stretch ends; undefined: at the end of the list. */
  upTo: string | undefined;
}

export interface ToldState<Item> {
  id: string;
  revision: Revision;
  row: WindowRow<Item> | undefined;
  isInsert: boolean;
}

interface RecentState<Item> {
  revision: Revision;
  row: WindowRow<Item> | undefined;
  /** From this time on (milliseconds since 1970) an index shows this state or a later one. */
  untilMs: number;
  bytes: number;
}

/** Limit in bytes for states that the index may not show yet. Beyond it, the list is read again. */
export const MAX_RECENT_BYTES = 1_048_576;

export interface WindowOptions<Item> {
  limit: number;
  /** Rows kept behind the shown ones, so that a row that leaves can be replaced without reading all shards. */
  reserve: number;
  compare: (left: string, right: string) => number;
  indexGraceMs: number;
  bytesOf: (item: Item) => number;
}

export class ListWindow<Item> {
  private known: WindowRow<Item>[] = [];
  /** All rows up to this place are known; undefined: the whole list. */
  private frontier: string | undefined;
  /** Oldest first. */
  private readonly recent = new Map<string, RecentState<Item>>();
  private recentBytes = 0;
  /** Until this time the index may not show a state that was dropped early. */
  private unsureUntilMs = Number.NEGATIVE_INFINITY;
  private dueMs = Number.POSITIVE_INFINITY;
  /** When the current reading of the index began; infinite if there is none. */
  private readingMs = Number.POSITIVE_INFINITY;

  constructor(private readonly options: WindowOptions<Item>) {}

  get rows(): readonly WindowRow<Item>[] {
    return this.known.slice(0, this.options.limit);
  }

  get room(): number {
    return this.most - this.known.length;
  }

  get most(): number {
    return this.options.limit + this.options.reserve;
  }

  /** Extra rows, since the index may still show rows that have left. */
  get mostFromBeginning(): number {
    return this.most + this.recent.size;
  }

  /** The place after which more rows have to be read; undefined if nothing is missing. */
  get lacksAfter(): string | undefined {
    return this.known.length < this.options.limit ? this.frontier : undefined;
  }

  /**
   * When the list has to be read again from its beginning, in milliseconds since 1970; infinite if it needn't. Until
   * then a row may be missing or outdated.
   */
  get readAgainMs(): number {
    return this.dueMs;
  }

  /** Call it when a reading of the index begins: `begin` or `extend` follows, and records may come in between. */
  read(nowMs: number): void {
    this.readingMs = nowMs;
  }

  begin(stretch: Stretch<Item>, nowMs: number): void {
    this.known = [];
    this.dueMs = Number.POSITIVE_INFINITY;
    this.frontier = stretch.upTo;
    this.merge(stretch.rows, nowMs, () => true);
  }

  /** Adds the stretch behind a place, if the known rows still end there: a record may have moved their end. */
  extend(stretch: Stretch<Item>, after: string, nowMs: number): void {
    if (this.frontier !== after) return;
    this.frontier = stretch.upTo;
    this.merge(stretch.rows, nowMs, (place) => this.options.compare(place, after) > 0);
  }

  receive({ id, revision, row, isInsert }: ToldState<Item>, nowMs: number): void {
    // An item that is made again restarts its revisions.
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

  /** Drops the states that the index shows now, and the oldest if there are too many. */
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

  private revisionOf(id: string): Revision {
    const present = this.known.find((row) => row.id === id)?.revision ?? -1;
    const told = this.recent.get(id)?.revision ?? -1;
    return told > present ? told : present;
  }

  private remove(id: string): void {
    const at = this.known.findIndex((row) => row.id === id);
    if (at >= 0) this.known.splice(at, 1);
  }

  /** Ignored if not all rows up to its place are known. */
  private insert(row: WindowRow<Item>): void {
    const { compare } = this.options;
    if (this.frontier !== undefined && compare(row.place, this.frontier) > 0) return;
    const at = this.known.findIndex(({ place }) => compare(place, row.place) > 0);
    this.known.splice(at < 0 ? this.known.length : at, 0, row);
  }

  private cut(): void {
    if (this.known.length <= this.most) return;
    this.known.length = this.most;
    this.frontier = this.known.at(-1)!.place;
  }
}

/** One step from one state of a list to the next. Apply steps in order. */
export interface ListStep<Item> {
  type: 'enter' | 'leave' | 'change';
  row: WindowRow<Item>;
  /** The index in the list after the previous steps. */
  at: number;
}

/** A row that has moved leaves and enters. */
export function stepsBetween<Item>(
  before: readonly WindowRow<Item>[],
  after: readonly WindowRow<Item>[],
  isSame: (left: Item, right: Item) => boolean,
): ListStep<Item>[] {
  const steps: ListStep<Item>[] = [];
  const placeAfter = new Map(after.map(({ id, place }) => [id, place]));
  const left: WindowRow<Item>[] = [];
  // From the end, so that earlier indexes stay valid.
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
