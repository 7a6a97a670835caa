/** An index lags and records may repeat, so the state with the higher revision always wins. */

/** A native row's revision exceeds a safe integer. */
type Revision = number | bigint;

export interface WindowRow<Item = unknown> {
  id: string;
  /** The sort key of the index. */
  place: string;
  revision: Revision;
  item: Item;
}

export interface Stretch<Item> {
  rows: readonly WindowRow<Item>[];
  /** Undefined: at the end of the list. */
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

/** Beyond it, the list is read again. */
export const MAX_RECENT_BYTES = 1_048_576;

export interface WindowOptions<Item> {
  limit: number;
  /** Rows behind the shown ones replace those that leave, without reading all shards. */
  reserve: number;
  compare: (left: string, right: string) => number;
  indexGraceMs: number;
  bytesOf: (item: Item) => number;
}

export class ListWindow<Item> {
  private known: WindowRow<Item>[] = [];
  /** Undefined: the whole list is known. */
  private frontier: string | undefined;
  /** Oldest first. */
  private readonly recent = new Map<string, RecentState<Item>>();
  private recentBytes = 0;
  /** Until this time the index may not show a state that was dropped early. */
  private unsureUntilMs = Number.NEGATIVE_INFINITY;
  private dueMs = Number.POSITIVE_INFINITY;
  /** Infinite if no reading of the index is under way. */
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

  /** The index may still show rows that have left. */
  get mostFromBeginning(): number {
    return this.most + this.recent.size;
  }

  get lacksAfter(): string | undefined {
    return this.known.length < this.options.limit ? this.frontier : undefined;
  }

  /** In milliseconds since 1970; infinite if it needn't. Until then a row may be missing or outdated. */
  get readAgainMs(): number {
    return this.dueMs;
  }

  /** `begin` or `extend` follows, and records may come in between. */
  read(nowMs: number): void {
    this.readingMs = nowMs;
  }

  begin(stretch: Stretch<Item>, nowMs: number): void {
    this.known = [];
    this.dueMs = Number.POSITIVE_INFINITY;
    this.frontier = stretch.upTo;
    this.merge(stretch.rows, nowMs, () => true);
  }

  /** Only if the known rows still end there: a record may have moved their end. */
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

export interface ListStep<Item> {
  type: 'enter' | 'leave' | 'change';
  row: WindowRow<Item>;
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
