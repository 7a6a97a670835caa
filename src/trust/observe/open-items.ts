import { textOfKey, typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { kindOfDerivedKey } from '../../core/kinds/all-kinds.ts';
import { type Difference, keyOfSuspect, type Suspect, textsOfDifferences } from '../../core/kinds/difference.ts';
import { kindOfTarget } from '../../core/kinds/in-target.ts';
import { isReverseKey } from '../../core/kinds/reverse-item.ts';
import { FanOutPlaces } from '../../core/model/projection/places.ts';
import type { ObservedDrift } from './drift.ts';
import { isSavedText } from './memory.ts';
import { type Range, shareOf, type Touched } from './touched-items.ts';

/**
 * Tracks the derived items, and shares of views, that records touched and no look has found right since, with the
 * touches that hold back the verified time (decision 099). No record is received during a look, so a look that finds an
 * item right can remove it with all its touches.
 */

export interface Touch {
  /** `NO_SHARD` for differences that a check left. */
  shardId: string;
  /** Sequence number of the previous record in the shard, after which a restart reads; undefined at the beginning. */
  after: string | undefined;
  /** Milliseconds since 1970. Streams give whole seconds. */
  stampMs: number;
  /** Numbers the records in the order in which the observer received them. */
  receipt: number;
}

export const NO_SHARD = '';

export class Touches {
  readonly oldest = new Map<string, Touch>();
  /** 0 without a touch. */
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

export interface OpenItem {
  readonly name: string;
  suspect: Suspect;
  readonly touches: Touches;
  readonly openedMs: number;
  dueMs: number;
  wrongLooks: number;
  /** What the last look found, until it is judged. */
  found?: Found | undefined;
  drift?: ObservedDrift | undefined;
  /** True if the item is listed as drift, and so no longer holds back the verified time. */
  isListed: boolean;
}

export interface OpenRange {
  readonly range: Range;
  readonly touches: Touches;
  queriedMs?: number | undefined;
}

export interface Found {
  differences: readonly Difference[];
  /** The observer's clock before the first read and after the last one. */
  fromMs: number;
  toMs: number;
  /** The low watermark, asked for before the first read; undefined if unknown. */
  lowWatermarkMs: number | undefined;
}

export interface ObserverPace {
  /** How long the projector may take to apply a record before the table is read. */
  graceMs: number;
  /** The longest wait between two looks at a wrong item. */
  mostWaitMs: number;
  /** The wait between two looks at known drift that no record touches. */
  driftMs: number;
  /** The wait between two looks at a count, each of which reads all counted items. */
  countMs: number;
  /**
   * How much earlier than the low watermark a touch has to be to count as applied, because clocks differ, records
   * become visible late, and stamps are whole seconds.
   */
  marginMs: number;
  unknownMs: number;
  /** Maximum number of differences that don't hold back the verified time. */
  mostExceptions: number;
}

export class OpenItems {
  private readonly items = new Map<string, OpenItem>();
  private readonly ranges = new Map<string, OpenRange>();

  constructor(private readonly pace: ObserverPace) {}

  get size(): number {
    return this.items.size + this.ranges.size;
  }

  /**
   * Listed items come first, because only the first `mostExceptions` are saved. After a restart, the observer reads the
   * records of the others again.
   */
  get drift(): ObservedDrift[] {
    const wrong = [...this.items.values()].filter(({ drift }) => drift !== undefined);
    wrong.sort((left, right) => Number(right.isListed) - Number(left.isListed));
    return wrong.map(({ drift }) => drift!);
  }

  *touches(): Generator<{ touch: Touch; of: Suspect | Range }> {
    for (const { touches, suspect } of this.items.values())
      for (const touch of touches.oldest.values()) yield { touch, of: suspect };
    for (const { touches, range } of this.ranges.values())
      for (const touch of touches.oldest.values()) yield { touch, of: range };
  }

  /** Records of a shard have to come in order. */
  touch({ items, ranges }: Touched, touches: Touches, nowMs: number, dueMs = nowMs + this.pace.graceMs): void {
    for (const range of ranges) this.touchRange(range, touches);
    for (const suspect of items) this.touchItem(suspect, touches, nowMs, dueMs);
  }

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
    // The record may come from a repair, so the item is looked at soon.
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
    // The Query that names the items has to begin after the record was received.
    // rule: range-is-queried-after-its-record
    open.queriedMs = undefined;
  }

  unqueriedRanges(most: number): OpenRange[] {
    return [...this.ranges.values()].filter(({ queriedMs }) => queriedMs === undefined).slice(0, most);
  }

  nameItems({ touches }: OpenRange, items: readonly Suspect[], nowMs: number): void {
    // rule: parts-inherit-from-the-range
    this.touch({ items, ranges: [] }, touches, nowMs);
  }

  /** Returns the views that copy along edges whose reverse items are open, which the fan-out's Query may miss. */
  sharesBehind({ kind, source, edgeType }: Range): Suspect[] {
    if (kind !== 'copies') return [];
    return [...this.items.values()].flatMap(({ suspect: { source: of, sortKey, bases: [edge] = [] } }) =>
      of === source && isReverseKey(sortKey) && edge !== undefined && typePrefix(edge.target) === edgeType
        ? [shareOf(edge)]
        : [],
    );
  }

  closeRanges(receivedThroughMs: number): void {
    for (const [name, { queriedMs }] of this.ranges) {
      // The Query may miss a child added while it ran, but the child's record names it.
      // rule: range-is-held-until-its-query-is-consumed
      if (queriedMs !== undefined && queriedMs < receivedThroughMs) this.ranges.delete(name);
    }
  }

  due(nowMs: number, lowWatermarkMs: number | undefined, most: number): OpenItem[] {
    const due = [...this.items.values()].filter(
      (item) => item.found === undefined && item.dueMs <= nowMs && !this.isTooEarly(item, nowMs, lowWatermarkMs),
    );
    return due.sort((left, right) => left.dueMs - right.dueMs).slice(0, most);
  }

  /** True while a Query still has to name the item, or the low watermark shows that its newest record isn't applied. */
  private isTooEarly(item: OpenItem, nowMs: number, lowWatermarkMs: number | undefined): boolean {
    const { suspect, touches, openedMs } = item;
    const reaching = this.rangeReaching(suspect);
    if (reaching !== undefined && reaching.queriedMs === undefined) return true;
    if (lowWatermarkMs === undefined || touches.newestMs < lowWatermarkMs) return false;
    // Without this, an item that is touched all the time would never be looked at.
    const isApplied = [...touches.oldest.values()].some(({ stampMs }) => stampMs < lowWatermarkMs);
    return !isApplied || nowMs < openedMs + this.longestWaitMs(suspect);
  }

  /** @param found undefined if the item is right. */
  endLook(item: OpenItem, found: Found | undefined): void {
    if (found !== undefined) item.found = found;
    else this.items.delete(item.name);
  }

  /**
   * Returns the new drift.
   *
   * @param receivedThroughMs all records from before this time have been received.
   */
  judge(receivedThroughMs: number, nowMs: number): ObservedDrift[] {
    const news: ObservedDrift[] = [];
    for (const item of this.items.values()) {
      const { found, drift: known } = item;
      // A record that explains the difference may have been made before the look, but not received yet.
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

  private mayPass(
    { suspect, touches: { newestMs } }: OpenItem,
    { fromMs, lowWatermarkMs }: Found,
    { kind, fanOut }: Difference,
  ): boolean {
    const { marginMs, unknownMs } = this.pace;
    // A continuation is itself a fan-out: it is drift if its record was applied and it hasn't moved.
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

  private list(item: OpenItem, drift: ObservedDrift): void {
    item.drift = drift;
    // The verified time has passed what is listed, so a later record must not unlist it.
    // rule: listed-drift-stays-listed
    const listed = [...this.items.values()].filter(({ isListed }) => isListed).length;
    // rule: exceptions-are-few
    if (!item.isListed && listed >= this.pace.mostExceptions) return;
    item.isListed = true;
    item.touches.oldest.clear();
  }

  /** Tells whether the item waits for a fan-out whose continuation is drift. */
  private isBehindStuckFanOut(suspect: Suspect): boolean {
    const range = rangeTo(suspect);
    if (range === undefined || range.kind === 'partition') return false;
    const sortKey = new FanOutPlaces(range.edgeType).continuation(range.kind);
    return this.items.get(nameOf({ source: range.source, sortKey }))?.drift !== undefined;
  }

  private rangeReaching(suspect: Suspect): OpenRange | undefined {
    if (this.ranges.size === 0) return undefined;
    const range = rangeTo(suspect);
    return range && this.ranges.get(nameOfRange(range));
  }

  private msUntilNextLook({ suspect, touches, wrongLooks, drift }: OpenItem): number {
    const { graceMs, driftMs, countMs } = this.pace;
    // The wait can be long: a repair would be a write, whose record brings the next look.
    if (drift !== undefined && touches.oldest.size === 0) return driftMs;
    const waitMs = Math.min(this.longestWaitMs(suspect), graceMs * 2 ** Math.min(wrongLooks, 10));
    return isCount(suspect) ? Math.max(countMs, waitMs) : waitMs;
  }

  private longestWaitMs(suspect: Suspect): number {
    return isCount(suspect) ? this.pace.countMs : this.pace.mostWaitMs;
  }
}

/**
 * Known drift that a record has touched since is news if it was repaired and damaged again (the same is expected), or
 * if the change of that record was lost too (the same is stored). A wrong count moves with its items, so both of its
 * texts change.
 */
function isNews(known: ObservedDrift | undefined, { expected, stored }: ObservedDrift, newestMs: number): boolean {
  if (known === undefined) return true;
  const isTouched = newestMs > (known.touchedMs ?? known.foundMs);
  return isTouched && (isSavedText(known.expected, expected) || isSavedText(known.stored, stored));
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

function rangeTo({ source, sortKey, bases: [base] = [] }: Suspect): Range | undefined {
  if (base === undefined || base.target === base.source) return undefined;
  const edgeType = typePrefix(base.target) ?? '';
  if (sortKey === VIEW_KEY) return { kind: 'copies', source: base.target.slice(edgeType.length + 1), edgeType };
  return kindOfTarget(sortKey) === undefined ? { kind: 'joined', source, edgeType } : undefined;
}

function nameOfRange({ kind, source, edgeType }: Range): string {
  return JSON.stringify([kind, source, edgeType]);
}

/** Shares of a view have the same key, so the base item distinguishes them. */
function nameOf(suspect: Suspect): string {
  const key = textOfKey(keyOfSuspect(suspect));
  const [base] = suspect.sortKey === VIEW_KEY ? (suspect.bases ?? []) : [];
  return JSON.stringify([key, base?.target]);
}
