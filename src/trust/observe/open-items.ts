import { textOfKey, typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { kindOfDerivedKey } from '../../core/kinds/all-kinds.ts';
import { type Difference, keyOfSuspect, type Suspect, textsOfDifferences } from '../../core/kinds/difference.ts';
import { kindOfTarget } from '../../core/kinds/in-target.ts';
import { isReverseKey } from '../../core/kinds/reverse-item.ts';
import { FanOutPlaces } from '../../core/model/projection/places.ts';
import type { ObservedDrift } from './drift.ts';
import { type Range, shareOf, type Touched } from './touched-items.ts';

/**
 * What records have touched and nobody has seen right since: a map from each derived item, or share in a view, to the records that touched it. It
 * knows no store and no clock.
 *
 * - A record opens the items that it touches, or touches them again. A range (what a fan-out reaches, or a partition) is open until a Query has
 *   named its items and everything made before the end of the Query is received. Its items inherit its touches.
 * - A look is consistent, and comes once the low watermark has passed the newest touch, so that one is enough as a rule. An item that is right
 *   leaves the map, whatever has touched it. No record is received during a look.
 * - An item that is wrong is judged once everything made before the end of the look is received. It is drift if the low watermark had passed its
 *   newest touch before the look. Otherwise it stays open.
 * - The verified time is not later than the oldest touch of the map. Drift is listed instead, and then holds no time.
 */

/** A record that has touched something, and the place to read on from in order to get it again. */
export interface Touch {
  /** `NO_SHARD` for what a check has left. */
  shardId: string;
  /** Sequence number of the record before it in the shard; undefined: the shard begins with it, or nothing before it was read. */
  after: string | undefined;
  /** When the record was made, in milliseconds since 1970. Streams say whole seconds. */
  stampMs: number;
  /** The observer's own number of the record: they rise in the order in which it received them. */
  receipt: number;
}

/** The shard of a touch that no record has made. */
export const NO_SHARD = '';

/** The records that have touched something since it was right: the oldest of each shard, and when the newest of all was made. */
export class Touches {
  readonly oldest = new Map<string, Touch>();
  /** In milliseconds since 1970; 0: nothing has touched it. */
  newestMs = 0;

  static of(touch: Touch, newestMs = touch.stampMs): Touches {
    const touches = new Touches();
    touches.oldest.set(touch.shardId, touch);
    touches.newestMs = newestMs;
    return touches;
  }

  add({ oldest, newestMs }: Touches): void {
    // rule: newest-touch-is-kept
    this.newestMs = Math.max(newestMs, this.newestMs);
    for (const touch of oldest.values()) {
      const known = this.oldest.get(touch.shardId) ?? touch;
      const first = known.receipt <= touch.receipt ? known : touch;
      this.oldest.set(touch.shardId, { ...first, stampMs: Math.min(known.stampMs, touch.stampMs) });
    }
  }
}

/** An item, or a share in a view, that is not known to be right. */
export interface OpenItem {
  readonly name: string;
  suspect: Suspect;
  readonly touches: Touches;
  readonly openedMs: number;
  /** When the next look is due. */
  dueMs: number;
  /** Looks in a row that found it wrong. */
  wrongLooks: number;
  /** What the last look has found, until it is judged. */
  found?: Found | undefined;
  drift?: ObservedDrift | undefined;
  /** True if it is listed as drift, so that the time goes on. It stays so until it is right. */
  isListed: boolean;
}

/** A range whose items a Query has to name, or has named at `queriedMs`. */
export interface OpenRange {
  readonly range: Range;
  readonly touches: Touches;
  queriedMs?: number | undefined;
}

/** The differences that a look has found. */
export interface Found {
  differences: readonly Difference[];
  /** The observer's clock before the first read and after the last one. */
  fromMs: number;
  toMs: number;
  /** The low watermark, asked for before the first read; undefined: not known. */
  lowWatermarkMs: number | undefined;
}

/** The waits of an observer, in milliseconds. */
export interface ObserverPace {
  /** How long the projector has for a record, before the table is read. */
  graceMs: number;
  /** The longest wait between two looks at something that is wrong. */
  mostWaitMs: number;
  /** The wait between two looks at known drift that no record touches. */
  driftMs: number;
  /** The wait between two looks at the same count: each reads all of its items. */
  countMs: number;
  /** How much earlier than the low watermark a touch has to be: skewed clocks, late visibility, whole seconds. */
  marginMs: number;
  /** How long a difference has to last if the low watermark is not known. */
  unknownMs: number;
  /** The most drift that is listed and does not hold the time; more of it does. */
  mostExceptions: number;
}

export class OpenItems {
  private readonly items = new Map<string, OpenItem>();
  private readonly ranges = new Map<string, OpenRange>();

  constructor(private readonly pace: ObserverPace) {}

  /** Number of items and ranges. */
  get size(): number {
    return this.items.size + this.ranges.size;
  }

  /** The items that are wrong, the listed ones first: the others are found again by their records. */
  get drift(): ObservedDrift[] {
    const wrong = [...this.items.values()].filter(({ drift }) => drift !== undefined);
    wrong.sort((left, right) => Number(right.isListed) - Number(left.isListed));
    return wrong.map(({ drift }) => drift!);
  }

  /** Yields what holds the verified time and the saved positions. */
  *touches(): Generator<{ touch: Touch; of: Suspect | Range }> {
    for (const { touches, suspect } of this.items.values())
      for (const touch of touches.oldest.values()) yield { touch, of: suspect };
    for (const { touches, range } of this.ranges.values())
      for (const touch of touches.oldest.values()) yield { touch, of: range };
  }

  /** Takes in what a record has touched. The records of a shard come in their order. @param dueMs when to look at new items. */
  touch({ items, ranges }: Touched, touches: Touches, nowMs: number, dueMs = nowMs + this.pace.graceMs): void {
    for (const range of ranges) this.touchRange(range, touches);
    for (const suspect of items) this.touchItem(suspect, touches, nowMs, dueMs);
  }

  /** Lists drift that an earlier process has found. */
  keepDrift(drift: ObservedDrift, nowMs: number): void {
    const item = this.touchItem(drift.suspect, new Touches(), nowMs, nowMs);
    Object.assign(item, { drift: item.drift ?? drift, isListed: true });
  }

  private touchItem(suspect: Suspect, touches: Touches, nowMs: number, dueMs: number): OpenItem {
    const name = nameOf(suspect);
    let item = this.items.get(name);
    if (item === undefined) {
      item = { name, suspect, touches: new Touches(), openedMs: nowMs, dueMs, wrongLooks: 0, isListed: false };
      this.items.set(name, item);
    } else if (item.suspect.bases === undefined) item.suspect = suspect;
    // The record may be that of a repair.
    if (item.drift !== undefined) item.dueMs = Math.min(item.dueMs, dueMs);
    item.touches.add(touches);
    const reaching = this.rangeReaching(suspect);
    // rule: late-parts-inherit-from-the-range
    if (reaching !== undefined) item.touches.add(reaching.touches);
    return item;
  }

  private touchRange(range: Range, touches: Touches): void {
    const name = nameOfRange(range);
    const open = this.ranges.get(name) ?? { range, touches: new Touches() };
    this.ranges.set(name, open);
    open.touches.add(touches);
    // The Query that names the parts has to begin after the record was received.
    // rule: range-is-queried-after-its-record
    open.queriedMs = undefined;
  }

  // Queries name the items of ranges.

  /** Returns at most `most` ranges whose items have still to be named. */
  unqueriedRanges(most: number): OpenRange[] {
    return [...this.ranges.values()].filter(({ queriedMs }) => queriedMs === undefined).slice(0, most);
  }

  /** Opens items of a range. */
  nameItems({ touches }: OpenRange, items: readonly Suspect[], nowMs: number): void {
    // rule: parts-inherit-from-the-range
    this.touch({ items, ranges: [] }, touches, nowMs);
  }

  /**
   * The shares with copies of a node along edges whose reverse items are open or drift. The Query of the fan-out finds an edge by its reverse
   * item, so that it may miss these.
   */
  sharesBehind({ kind, source, edgeType }: Range): Suspect[] {
    if (kind !== 'copies') return [];
    return [...this.items.values()].flatMap(({ suspect: { source: of, sortKey, bases: [edge] = [] } }) =>
      of === source && isReverseKey(sortKey) && edge !== undefined && typePrefix(edge.target) === edgeType
        ? [shareOf(edge)]
        : [],
    );
  }

  /** Closes the ranges for which everything made before the end of their Query was received. */
  closeRanges(receivedThroughMs: number): void {
    for (const [name, { queriedMs }] of this.ranges) {
      // A child that came during the Query is known by its record.
      // rule: range-is-held-until-its-query-is-consumed
      if (queriedMs !== undefined && queriedMs < receivedThroughMs) this.ranges.delete(name);
    }
  }

  // Looks close items.

  /** Returns at most `most` items to be looked at now, those first that have waited longest. */
  due(nowMs: number, lowWatermarkMs: number | undefined, most: number): OpenItem[] {
    const due = [...this.items.values()].filter(
      (item) => item.found === undefined && item.dueMs <= nowMs && !this.isTooEarly(item, nowMs, lowWatermarkMs),
    );
    return due.sort((left, right) => left.dueMs - right.dueMs).slice(0, most);
  }

  /** Tells whether a look would most likely say nothing: the projector has not applied the newest record, or a Query names the item again. */
  private isTooEarly(item: OpenItem, nowMs: number, lowWatermarkMs: number | undefined): boolean {
    const { suspect, touches, openedMs } = item;
    const reaching = this.rangeReaching(suspect);
    if (reaching !== undefined && reaching.queriedMs === undefined) return true;
    if (lowWatermarkMs === undefined || touches.newestMs < lowWatermarkMs) return false;
    // An item that is touched all the time is looked at between two touches: it may be right then.
    const isApplied = [...touches.oldest.values()].some(({ stampMs }) => stampMs < lowWatermarkMs);
    return !isApplied || nowMs < openedMs + this.longestWaitMs(suspect);
  }

  /** Takes in what a look has found; undefined: the item is right. */
  endLook(item: OpenItem, found: Found | undefined): void {
    if (found !== undefined) item.found = found;
    else this.items.delete(item.name);
  }

  // Differences are judged.

  /**
   * Judges differences, once everything that was made before the end of the look was received.
   *
   * @param receivedThroughMs every record made before this time was received.
   * @returns the drift that is news.
   */
  judge(receivedThroughMs: number, nowMs: number): ObservedDrift[] {
    const news: ObservedDrift[] = [];
    for (const item of this.items.values()) {
      const { found, drift: known } = item;
      // A record that explains the difference may have been made before the look, and may not be received yet.
      // rule: difference-waits-for-its-records
      if (found === undefined || receivedThroughMs <= found.toMs) continue;
      item.found = undefined;
      item.wrongLooks += 1;
      const differences = found.differences.filter((difference) => !this.mayPass(item, found, difference));
      if (differences.length > 0) {
        this.list(item, driftBy(item, { ...found, differences }, nowMs));
        if (isNews(known, item.drift!, item.touches.newestMs)) news.push(item.drift!);
      }
      item.dueMs = nowMs + this.msUntilNextLook(item);
    }
    return news;
  }

  /** Tells whether something is on its way that may put a difference right. */
  private mayPass(
    { suspect, touches: { newestMs } }: OpenItem,
    { fromMs, lowWatermarkMs }: Found,
    { kind, fanOut }: Difference,
  ): boolean {
    const { marginMs, unknownMs } = this.pace;
    // A continuation that is not at its end awaits itself: it is drift if the record that drives it is applied, and it has not moved.
    const isVisited = fanOut !== undefined && kind !== 'continuation';
    const isOnItsWay = isVisited && fanOut.place !== undefined;
    // rule: nothing-visits-parts-behind-a-stuck-fan-out
    if (isOnItsWay && this.isBehindStuckFanOut(suspect)) return false;
    // rule: alarm-waits-for-fan-outs-under-way
    if (isOnItsWay) return true;
    // rule: alarm-waits-for-open-ranges
    if (isVisited && this.rangeReaching(suspect) !== undefined) return true;
    // rule: alarm-waits-for-the-low-watermark
    const isApplied =
      lowWatermarkMs === undefined ? newestMs + unknownMs < fromMs : newestMs + marginMs < lowWatermarkMs;
    return !isApplied;
  }

  /** Drift is listed, so that the time goes on for everything else. */
  private list(item: OpenItem, drift: ObservedDrift): void {
    item.drift = drift;
    // The time has passed what is listed: a record that touches it later does not take its place from it.
    // rule: listed-drift-stays-listed
    const listed = [...this.items.values()].filter(({ isListed }) => isListed).length;
    // rule: exceptions-are-few
    if (!item.isListed && listed >= this.pace.mostExceptions) return;
    item.isListed = true;
    item.touches.oldest.clear();
  }

  /** Tells whether the fan-out that has still to visit an item is stuck: its continuation is drift. */
  private isBehindStuckFanOut(suspect: Suspect): boolean {
    const range = rangeTo(suspect);
    if (range === undefined || range.kind === 'partition') return false;
    const sortKey = new FanOutPlaces(range.edgeType).continuation(range.kind);
    return this.items.get(nameOf({ source: range.source, sortKey }))?.drift !== undefined;
  }

  /** The open range that may reach an item. */
  private rangeReaching(suspect: Suspect): OpenRange | undefined {
    if (this.ranges.size === 0) return undefined;
    const range = rangeTo(suspect);
    return range && this.ranges.get(nameOfRange(range));
  }

  private msUntilNextLook({ suspect, touches, wrongLooks, drift }: OpenItem): number {
    const { graceMs, driftMs, countMs } = this.pace;
    // A repair is a write, and its record brings the next look. Only that look tells whether the item is right now.
    if (drift !== undefined && touches.oldest.size === 0) return driftMs;
    const waitMs = Math.min(this.longestWaitMs(suspect), graceMs * 2 ** Math.min(wrongLooks, 10));
    return isCount(suspect) ? Math.max(countMs, waitMs) : waitMs;
  }

  private longestWaitMs(suspect: Suspect): number {
    return isCount(suspect) ? this.pace.countMs : this.pace.mostWaitMs;
  }
}

/**
 * Tells whether drift is news. A record that touched known drift may have been its repair, and another one new damage: the base items ask for the
 * same as before.
 */
function isNews(known: ObservedDrift | undefined, { expected }: ObservedDrift, newestMs: number): boolean {
  if (known === undefined) return true;
  return known.expected === expected && newestMs > (known.touchedMs ?? known.foundMs);
}

function driftBy(
  { suspect, drift: known, touches }: OpenItem,
  { differences, lowWatermarkMs }: Found,
  nowMs: number,
): ObservedDrift {
  const touchedMs = touches.newestMs || known?.touchedMs;
  return {
    suspect,
    differences: differences.map(({ kind, about }) => ({ kind, about })),
    ...textsOfDifferences(differences),
    foundMs: known?.foundMs ?? nowMs,
    ...(touchedMs !== undefined && { touchedMs }),
    // rule: unknown-low-watermark-is-told
    isCertain: lowWatermarkMs !== undefined,
  };
}

function isCount({ sortKey }: Suspect): boolean {
  const { name } = kindOfDerivedKey(sortKey)!.kind;
  return name === 'count' || name === 'total';
}

/** The fan-out that visits an item, or a share in a view. */
function rangeTo({ source, sortKey, bases: [base] = [] }: Suspect): Range | undefined {
  if (base === undefined || base.target === base.source) return undefined;
  const edgeType = typePrefix(base.target) ?? '';
  if (sortKey === VIEW_KEY) return { kind: 'copies', source: base.target.slice(edgeType.length + 1), edgeType };
  return kindOfTarget(sortKey) === undefined ? { kind: 'joined', source, edgeType } : undefined;
}

function nameOfRange({ kind, source, edgeType }: Range): string {
  return JSON.stringify([kind, source, edgeType]);
}

/** Shares of a view are apart. The base item of any other item is known from the item, so it is no part of the name. */
function nameOf(suspect: Suspect): string {
  const key = textOfKey(keyOfSuspect(suspect));
  const [base] = suspect.sortKey === VIEW_KEY ? (suspect.bases ?? []) : [];
  return JSON.stringify([key, base?.target]);
}
