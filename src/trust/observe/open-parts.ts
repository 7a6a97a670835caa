import { typePrefix } from '../../core/items/keys.ts';
import { partKindOf } from '../../core/kinds/all-kinds.ts';
import type { Compared, Part, Suspect } from '../../core/kinds/part.ts';
import { FanOutPlaces } from '../../core/model/projection/places.ts';
import type { ObservedDrift } from './drift.ts';
import { copyOf, type Range, type Touched } from './touched-parts.ts';

/**
 * What records have touched and nobody has seen right since: a map from each part of a derived item to the records that touched it. It knows no
 * store and no clock.
 *
 * - A record opens the parts that it touches, or touches them again. A range (what a fan-out reaches, or a partition) is open until a Query has
 *   named its parts and everything made before the end of the Query is received. Its parts inherit its touches.
 * - A look is consistent, and comes once the low watermark has passed the newest touch, so that one is enough as a rule. A part that is right
 *   leaves the map, whatever has touched it. No record is received during a look.
 * - A part that is wrong is judged once everything made before the end of the look is received. It is drift if the low watermark had passed its
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

/** A part that is not known to be right. */
export interface OpenPart {
  readonly name: string;
  suspect: Suspect;
  readonly touches: Touches;
  readonly openedMs: number;
  /** When the next look is due. */
  dueMs: number;
  /** Looks in a row that found it wrong. */
  wrongLooks: number;
  /** What the last look has found, until it is judged. */
  difference?: Difference | undefined;
  drift?: ObservedDrift | undefined;
  /** True if it is listed as drift, so that the time goes on. It stays so until it is right. */
  isListed: boolean;
}

/** A range whose parts a Query has to name, or has named at `queriedMs`. */
export interface OpenRange {
  readonly range: Range;
  readonly touches: Touches;
  queriedMs?: number | undefined;
}

/** A difference that a look has found. */
export interface Difference extends Compared {
  /** The observer's clock before the first read and after the last one. */
  fromMs: number;
  toMs: number;
  /** The low watermark, asked for before the first read; undefined: not known. */
  lowWatermarkMs: number | undefined;
  /** True if a fan-out has still to visit the part. */
  isAwaited: boolean;
}

/** The result of a look. `instead`: the registry has no place for the item, so that this is wrong and not its content. */
export type LookResult = Difference | 'right' | { instead: Suspect };

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

export class OpenParts {
  private readonly parts = new Map<string, OpenPart>();
  private readonly ranges = new Map<string, OpenRange>();

  constructor(private readonly pace: ObserverPace) {}

  /** Number of parts and ranges. */
  get size(): number {
    return this.parts.size + this.ranges.size;
  }

  /** The parts that are wrong, the listed ones first: the others are found again by their records. */
  get drift(): ObservedDrift[] {
    const wrong = [...this.parts.values()].filter(({ drift }) => drift !== undefined);
    wrong.sort((left, right) => Number(right.isListed) - Number(left.isListed));
    return wrong.map(({ drift }) => drift!);
  }

  /** Yields what holds the verified time and the saved positions. */
  *touches(): Generator<{ touch: Touch; of: Suspect | Range }> {
    for (const { touches, suspect } of this.parts.values())
      for (const touch of touches.oldest.values()) yield { touch, of: suspect };
    for (const { touches, range } of this.ranges.values())
      for (const touch of touches.oldest.values()) yield { touch, of: range };
  }

  /** Takes in what a record has touched. The records of a shard come in their order. @param dueMs when to look at new parts. */
  touch({ parts, ranges }: Touched, touches: Touches, nowMs: number, dueMs = nowMs + this.pace.graceMs): void {
    for (const range of ranges) this.touchRange(range, touches);
    for (const suspect of parts) this.touchPart(suspect, touches, nowMs, dueMs);
  }

  /** Lists drift that an earlier process has found. */
  keepDrift(drift: ObservedDrift, nowMs: number): void {
    const part = this.touchPart(drift.suspect, new Touches(), nowMs, nowMs);
    if (part !== undefined) Object.assign(part, { drift: part.drift ?? drift, isListed: true });
  }

  private touchPart(suspect: Suspect, touches: Touches, nowMs: number, dueMs: number): OpenPart | undefined {
    // A part that gives no reader a wrong answer is left to a check.
    if (partKindOf(suspect.part).isUnobserved === true) return undefined;
    const name = nameOfPart(suspect);
    let part = this.parts.get(name);
    if (part === undefined) {
      part = { name, suspect, touches: new Touches(), openedMs: nowMs, dueMs, wrongLooks: 0, isListed: false };
      this.parts.set(name, part);
    } else if (namesBase(suspect.part) && !namesBase(part.suspect.part)) part.suspect = suspect;
    // The record may be that of a repair.
    if (part.drift !== undefined) part.dueMs = Math.min(part.dueMs, dueMs);
    part.touches.add(touches);
    const reaching = this.rangeReaching(suspect);
    // rule: late-parts-inherit-from-the-range
    if (reaching !== undefined) part.touches.add(reaching.touches);
    return part;
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

  // Queries name the parts of ranges.

  /** Returns at most `most` ranges whose parts have still to be named. */
  unqueriedRanges(most: number): OpenRange[] {
    return [...this.ranges.values()].filter(({ queriedMs }) => queriedMs === undefined).slice(0, most);
  }

  /** Opens parts of a range. */
  nameParts({ touches }: OpenRange, parts: readonly Suspect[], nowMs: number): void {
    // rule: parts-inherit-from-the-range
    this.touch({ parts, ranges: [] }, touches, nowMs);
  }

  /**
   * The copies of a node along edges whose reverse items are open or drift. The Query of the fan-out finds an edge by its reverse item, so that it
   * may miss these.
   */
  copiesBehind({ kind, source, edgeType }: Range): Suspect[] {
    if (kind !== 'copies') return [];
    return [...this.parts.values()].flatMap(({ suspect: { source: of, part } }) =>
      of === source &&
      part.kind === 'reverse-item' &&
      part.base !== undefined &&
      typePrefix(part.base.target) === edgeType
        ? [copyOf(part.base)]
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

  // Looks close parts.

  /** Returns at most `most` parts to be looked at now, those first that have waited longest. */
  due(nowMs: number, lowWatermarkMs: number | undefined, most: number): OpenPart[] {
    const due = [...this.parts.values()].filter(
      (part) => part.difference === undefined && part.dueMs <= nowMs && !this.isTooEarly(part, nowMs, lowWatermarkMs),
    );
    return due.sort((left, right) => left.dueMs - right.dueMs).slice(0, most);
  }

  /** Tells whether a look would most likely say nothing: the projector has not applied the newest record, or a Query names the part again. */
  private isTooEarly(part: OpenPart, nowMs: number, lowWatermarkMs: number | undefined): boolean {
    const { suspect, touches, openedMs } = part;
    const reaching = this.rangeReaching(suspect);
    if (reaching !== undefined && reaching.queriedMs === undefined) return true;
    if (lowWatermarkMs === undefined || touches.newestMs < lowWatermarkMs) return false;
    // A part that is touched all the time is looked at between two touches: it may be right then.
    const isApplied = [...touches.oldest.values()].some(({ stampMs }) => stampMs < lowWatermarkMs);
    return !isApplied || nowMs < openedMs + this.longestWaitMs(suspect);
  }

  /** Takes in the result of a look. */
  endLook(part: OpenPart, result: LookResult, nowMs: number): void {
    if (result !== 'right' && !('instead' in result)) {
      part.difference = result;
      return;
    }
    this.parts.delete(part.name);
    if (result !== 'right') this.touchPart(result.instead, part.touches, nowMs, nowMs + this.pace.graceMs);
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
    for (const part of this.parts.values()) {
      const { difference, drift: known } = part;
      // A record that explains the difference may have been made before the look, and may not be received yet.
      // rule: difference-waits-for-its-records
      if (difference === undefined || receivedThroughMs <= difference.toMs) continue;
      part.difference = undefined;
      part.wrongLooks += 1;
      if (!this.mayPass(part, difference)) {
        this.list(part, driftBy(part, difference, nowMs));
        if (isNews(known, difference, part.touches.newestMs)) news.push(part.drift!);
      }
      part.dueMs = nowMs + this.msUntilNextLook(part);
    }
    return news;
  }

  /** Tells whether something is on its way that may put a part right. */
  private mayPass(
    { suspect, touches: { newestMs } }: OpenPart,
    { isAwaited, fromMs, lowWatermarkMs }: Difference,
  ): boolean {
    const { marginMs, unknownMs } = this.pace;
    // A continuation that is not at its end awaits itself: it is drift if the record that drives it is applied, and it has not moved.
    const isOnItsWay = isAwaited && suspect.part.kind !== 'continuation';
    // rule: nothing-visits-parts-behind-a-stuck-fan-out
    if (isOnItsWay && this.isBehindStuckFanOut(suspect)) return false;
    // rule: alarm-waits-for-fan-outs-under-way
    if (isOnItsWay) return true;
    // rule: alarm-waits-for-open-ranges
    if (this.rangeReaching(suspect) !== undefined) return true;
    // rule: alarm-waits-for-the-low-watermark
    const isApplied =
      lowWatermarkMs === undefined ? newestMs + unknownMs < fromMs : newestMs + marginMs < lowWatermarkMs;
    return !isApplied;
  }

  /** Drift is listed, so that the time goes on for everything else. */
  private list(part: OpenPart, drift: ObservedDrift): void {
    part.drift = drift;
    // The time has passed what is listed: a record that touches it later does not take its place from it.
    // rule: listed-drift-stays-listed
    const listed = [...this.parts.values()].filter(({ isListed }) => isListed).length;
    // rule: exceptions-are-few
    if (!part.isListed && listed >= this.pace.mostExceptions) return;
    part.isListed = true;
    part.touches.oldest.clear();
  }

  /** Tells whether the fan-out that has still to visit a part is stuck: its continuation is drift. */
  private isBehindStuckFanOut(suspect: Suspect): boolean {
    const range = rangeTo(suspect);
    if (range === undefined || range.kind === 'partition') return false;
    const sortKey = new FanOutPlaces(range.edgeType).continuation(range.kind);
    const name = nameOfPart({ source: range.source, sortKey, part: { kind: 'continuation' } });
    return this.parts.get(name)?.drift !== undefined;
  }

  /** The open range that may reach a part. */
  private rangeReaching(suspect: Suspect): OpenRange | undefined {
    if (this.ranges.size === 0) return undefined;
    const range = rangeTo(suspect);
    return range && this.ranges.get(nameOfRange(range));
  }

  private msUntilNextLook({ suspect, touches, wrongLooks, drift }: OpenPart): number {
    const { graceMs, driftMs, countMs } = this.pace;
    // A repair is a write, and its record brings the next look. Only that look tells whether the part is right now.
    if (drift !== undefined && touches.oldest.size === 0) return driftMs;
    const waitMs = Math.min(this.longestWaitMs(suspect), graceMs * 2 ** Math.min(wrongLooks, 10));
    return suspect.part.kind === 'count' ? Math.max(countMs, waitMs) : waitMs;
  }

  private longestWaitMs({ part }: Suspect): number {
    return part.kind === 'count' ? this.pace.countMs : this.pace.mostWaitMs;
  }
}

/**
 * Tells whether drift is news. A record that touched known drift may have been its repair, and another one new damage: the base items ask for the
 * same as before.
 */
function isNews(known: ObservedDrift | undefined, { expected }: Difference, newestMs: number): boolean {
  if (known === undefined) return true;
  return known.expected === expected && newestMs > (known.touchedMs ?? known.foundMs);
}

function driftBy(
  { suspect, drift: known, touches }: OpenPart,
  { expected, stored, lowWatermarkMs }: Difference,
  nowMs: number,
): ObservedDrift {
  const touchedMs = touches.newestMs || known?.touchedMs;
  return {
    ...{ suspect, expected, stored, foundMs: known?.foundMs ?? nowMs },
    ...(touchedMs !== undefined && { touchedMs }),
    // rule: unknown-low-watermark-is-told
    isCertain: lowWatermarkMs !== undefined,
  };
}

/** The fan-out that a part is visited by. */
function rangeTo({ source, part }: Suspect): Range | undefined {
  if (part.kind === 'copy') {
    const edgeType = typePrefix(part.target) ?? '';
    return { kind: 'copies', source: part.target.slice(edgeType.length + 1), edgeType };
  }
  const isJoined = part.kind === 'index-item' && part.target !== undefined && part.target !== source;
  return isJoined ? { kind: 'joined', source, edgeType: typePrefix(part.target!) ?? '' } : undefined;
}

function nameOfRange({ kind, source, edgeType }: Range): string {
  return JSON.stringify([kind, source, edgeType]);
}

/** The base item of an index item, and the edge of a reverse item, are known from the item, so they are no part of the name. */
function nameOfPart({ source, sortKey, part }: Suspect): string {
  const detail = 'edgeType' in part ? part.edgeType : 'element' in part ? part.element : '';
  const isOfEdge = part.kind === 'element' || part.kind === 'copy';
  return JSON.stringify([source, sortKey, part.kind, isOfEdge ? part.target : detail]);
}

/** Tells whether a part names the base item that decides about it. */
function namesBase(part: Part): boolean {
  if (part.kind === 'index-item') return part.target !== undefined;
  return part.kind === 'reverse-item' ? part.base !== undefined : true;
}
