import type { Item } from '../../core/items/attribute-value.ts';
import { textOfKey, typePrefix } from '../../core/items/keys.ts';
import type { CompareContext, Compared, OddityContext, Part, Suspect } from '../../core/kinds/part.ts';
import { itemKindOf, partKindOf } from '../../core/kinds/table.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { needsSource } from '../../core/model/joined.ts';
import { type FanOutOf, FanOutPlaces } from '../../core/model/projection/places.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { StreamLabel } from '../../projecting/stream/stream-label.ts';
import {
  itemOfSuspect,
  NO_SHARD,
  nameOfSpread,
  nameOfSuspect,
  type ObservedDrift,
  type Opened,
  type Spread,
  type Touch,
} from './obligation.ts';
import { openedBy, type SeenChange } from './opened.ts';

/**
 * The open obligations of an observer: what records have touched, and what is not known to be right yet. It knows no store and no
 * clock; whoever reads the stream and the table tells it what was received and what was seen.
 */

/** A received record, and where its shard has it. */
export interface ReceivedChange {
  change: SeenChange;
  shardId: string;
  /** Sequence number of the record before it. */
  after: string | undefined;
  stampMs: number;
  /** The observer's clock. */
  receivedMs: number;
}

/** A part that is not known to be right. */
export interface Obligation {
  readonly name: string;
  suspect: Suspect;
  /** The oldest record of each shard that touched it, as far as no look has answered it. */
  touches: Touch[];
  /** The same, of records that were received since the look began that is under way. */
  later: Touch[];
  /** The number of the latest look; a result of an earlier one says nothing any more. */
  look: number;
  isLookedAt: boolean;
  /** The earliest time of the next look, by the observer's clock. */
  dueMs: number;
  /** Records that come before the first look put it off until then, so that it answers them too. */
  latestDueMs: number;
  /** Looks in a row that found it wrong. */
  wrongLooks: number;
  /** The latest look, if it found a difference that is not judged yet. */
  mismatch: Mismatch | undefined;
  /** Set if it is known to be wrong: it then waits for a repair, and the time goes on. */
  drift: ObservedDrift | undefined;
  /** Whether it is listed as an exception: it does not hold the time, and has to be listed until it is right. */
  isException: boolean;
}

/** A difference, and when it was seen. */
export interface Mismatch extends Compared {
  /** The observer's clock before the first read and after the last one. */
  fromMs: number;
  toMs: number;
  /** The low mark, asked for before the first read; undefined: not known. */
  lowMarkMs: number | undefined;
  /** Whether a fan-out has still to visit it. */
  isAwaited: boolean;
  /** Set for a part of something that is being built: since when writers maintain that. It is no drift, and compared with what they maintain. */
  builtSinceMs?: number | undefined;
  /** For a copy: the reverse item that its edge lacks. Without it no fan-out finds the copy. */
  behind?: Suspect | undefined;
}

/** The result of a look. `instead`: the registry has no place for the item, so that this is wrong and not its content. */
export type LookResult = Mismatch | 'right' | { instead: Suspect };

/** A spread whose items are to be named by a Query, or were named. */
export interface OpenSpread {
  readonly name: string;
  readonly spread: Spread;
  touches: Touch[];
  later: Touch[];
  /** When the newest record was made that touched it, in milliseconds since 1970: its parts inherit that, too. */
  newestMs: number;
  isQueried: boolean;
  /** When the Query that named its items ended, by the observer's clock; undefined: it is still to be made. */
  queriedMs: number | undefined;
}

/** The waits of an observer, in milliseconds. */
export interface ObserverPace {
  /** How long the projector has for a record, before the table is read. */
  settleMs: number;
  /** The longest wait between two looks at something that is wrong. */
  mostWaitMs: number;
  /** The wait between two looks at known drift that no record touches. */
  driftMs: number;
  /** The wait between two looks at the same count: each reads all of its items. */
  countMs: number;
  /** How much earlier than the low mark a touch has to be: skewed clocks, late visibility, whole seconds. */
  marginMs: number;
  /** How long a difference has to last if the low mark is not known. */
  unknownMs: number;
  /** Drift that waits for a repair and does not hold the time: beyond this number it does. */
  mostExceptions: number;
}

type Judged = 'by-images' | 'by-reads' | 'not-judged';

/**
 * How a part is judged. A part with one base item is judged by the images of the two, without a read. A new kind of part has to be
 * entered here, or does not compile.
 */
const JUDGED: { readonly [Kind in Part['kind']]: Judged } = {
  attributes: 'by-images',
  element: 'by-images',
  garbage: 'by-images',
  'index-item': 'by-images',
  'reverse-item': 'by-images',
  expiry: 'by-images',
  form: 'by-images',
  'unknown-item': 'by-images',
  copy: 'by-reads',
  count: 'by-reads',
  continuation: 'by-reads',
  watermark: 'by-reads',
  retired: 'by-reads',
  misplaced: 'by-reads',
  unregistered: 'by-reads',
  // An edge type that could come back, and a view that readers do not use, are maintenance: no reader gets a wrong answer.
  mark: 'not-judged',
  shape: 'not-judged',
  room: 'not-judged',
};

/** The newest image of an item, and the obligations that need it. */
interface SeenItem {
  /** Undefined: no record of it was received since it is needed. */
  image: { item: Item | undefined } | undefined;
  neededBy: Set<Obligation>;
}

/** The parts and spreads that are open, and the rules by which they open and close. */
export class Obligations {
  private readonly open = new Map<string, Obligation>();
  private readonly spreads = new Map<string, OpenSpread>();
  private readonly items = new Map<string, SeenItem>();
  /** The parts of an item that are known drift, by the item. */
  private readonly drifting = new Map<string, Set<Obligation>>();
  /** When the newest record was made that touched a part, also if the part was closed since. */
  private readonly newest = new Map<string, number>();
  /**
   * The oldest touch of each shard of parts that images have closed, by the time of the newest touch of each part, until everything made
   * before that time is received. The shard of the other image may be behind, and its next record opens them again.
   */
  private readonly closed = new Map<number, Map<string, Touch>>();
  /** Up to when old touches were forgotten. */
  private forgottenMs = 0;
  private receipts = 0;

  constructor(private readonly pace: ObserverPace) {}

  /** Number of parts and spreads that are open. */
  get size(): number {
    return this.open.size + this.spreads.size;
  }

  /** The parts that are certainly wrong, and not repaired yet. */
  get drift(): ObservedDrift[] {
    const wrong = [...this.open.values()].filter(({ drift }) => drift !== undefined);
    // The exceptions come first: what still holds the time is found again by its records.
    wrong.sort((left, right) => Number(right.isException) - Number(left.isException));
    return wrong.map(({ drift }) => drift!);
  }

  /**
   * Yields the touches of all open parts and spreads, each with the part or spread that it touched. Neither the verified time nor a saved
   * position passes the oldest of them.
   */
  *touches(): Generator<{ touch: Touch; of: Suspect | Spread }> {
    for (const { touches, later, suspect } of this.open.values()) {
      for (const touch of touches) yield { touch, of: suspect };
      for (const touch of later) yield { touch, of: suspect };
    }
    for (const { touches, later, spread } of this.spreads.values()) {
      for (const touch of touches) yield { touch, of: spread };
      for (const touch of later) yield { touch, of: spread };
    }
  }

  /** Yields the touches of parts that an older record may open again: no saved position passes them, so that a restart knows them too. */
  *closedTouches(): Generator<Touch> {
    for (const touches of this.closed.values()) yield* touches.values();
  }

  /** Takes in a record. The records of a shard come in their order, those of a parent shard before those of its children. */
  receiveRecord(context: OddityContext, { change, shardId, after, stampMs, receivedMs }: ReceivedChange): void {
    this.receipts += 1;
    const touch: Touch = { shardId, after, stampMs, receipt: this.receipts };
    const { suspects, spreads } = openedBy(context, change);
    for (const spread of spreads) this.touchSpread(spread, [touch]);
    for (const suspect of suspects) this.openOrTouch(context.graph, suspect, [touch], receivedMs);
    // A record that takes something wrong away opens nothing: an item that nobody asked for may be gone.
    for (const obligation of this.drifting.get(textOfKey(change)) ?? []) {
      obligation.dueMs = Math.min(obligation.dueMs, receivedMs + this.pace.settleMs);
    }
    const seen = this.items.get(textOfKey(change));
    if (seen === undefined) return;
    // Only the newest image counts: a value may come back.
    // rule: newest-image-counts
    seen.image = { item: change.newImage };
    for (const obligation of [...seen.neededBy]) this.closeByImages(context, obligation);
  }

  /** Opens parts that were not opened by a record: what a check has left, or what a restart has to look at again. */
  reopen(graph: CompiledModel, opened: Opened, touches: readonly Touch[], nowMs: number): void {
    for (const spread of opened.spreads) this.touchSpread(spread, touches);
    for (const suspect of opened.suspects) this.openOrTouch(graph, suspect, touches, nowMs - this.pace.settleMs);
  }

  /** Keeps drift that an earlier process of the observer has found. */
  keepDrift(graph: CompiledModel, drift: ObservedDrift, nowMs: number): void {
    this.reopen(graph, { suspects: [drift.suspect], spreads: [] }, [], nowMs);
    const obligation = this.open.get(nameOfSuspect(drift.suspect));
    if (obligation === undefined) return;
    obligation.drift ??= drift;
    obligation.isException = true;
    this.indexDrift(obligation);
  }

  private openOrTouch(graph: CompiledModel, suspect: Suspect, touches: readonly Touch[], nowMs: number): void {
    if (JUDGED[suspect.part.kind] === 'not-judged') return;
    const name = nameOfSuspect(suspect);
    const spread = this.spreadReaching(suspect);
    // A part that an open fan-out reaches inherits its touches, also if it comes late.
    // rule: late-parts-inherit-from-the-fan-out
    const all = spread === undefined ? touches : [...touches, ...spread.touches, ...spread.later];
    for (const { stampMs, newestMs = stampMs } of all) {
      // rule: newest-touch-is-kept
      this.newest.set(name, Math.max(newestMs, this.newest.get(name) ?? 0));
    }
    if (spread !== undefined) this.inheritNewest(name, spread);
    let obligation = this.open.get(name);
    if (obligation === undefined) {
      obligation = {
        name,
        suspect,
        touches: [],
        later: [],
        look: 0,
        isLookedAt: false,
        dueMs: nowMs + this.pace.settleMs,
        latestDueMs: nowMs + 2 * this.pace.settleMs,
        wrongLooks: 0,
        mismatch: undefined,
        drift: undefined,
        isException: false,
      };
      this.open.set(name, obligation);
    } else if (namesBase(suspect.part) && !namesBase(obligation.suspect.part)) {
      this.forgetItems(obligation);
      obligation.suspect = suspect;
    }
    if (obligation.drift !== undefined) obligation.dueMs = Math.min(obligation.dueMs, nowMs + this.pace.settleMs);
    else if (obligation.look === 0) obligation.dueMs = Math.min(obligation.latestDueMs, nowMs + this.pace.settleMs);
    // A read answers what was received before it began, and nothing else.
    // rule: look-answers-what-came-before-it
    addOldestTouches(obligation.isLookedAt ? obligation.later : obligation.touches, all);
    for (const key of judgingItems(graph, obligation.suspect) ?? []) {
      const seen = this.items.get(textOfKey(key));
      if (seen === undefined) this.items.set(textOfKey(key), { image: undefined, neededBy: new Set([obligation]) });
      else seen.neededBy.add(obligation);
    }
  }

  /** A fan-out keeps its oldest touches only. So that its newest one is not lost for its parts, they inherit its time. */
  private inheritNewest(name: string, { newestMs }: OpenSpread): void {
    // rule: newest-touch-of-a-fan-out-is-inherited
    this.newest.set(name, Math.max(newestMs, this.newest.get(name) ?? 0));
  }

  private touchSpread(spread: Spread, touches: readonly Touch[]): void {
    const name = nameOfSpread(spread);
    let open = this.spreads.get(name);
    if (open === undefined) {
      open = {
        name,
        spread,
        touches: [],
        later: [],
        newestMs: 0,
        isQueried: false,
        queriedMs: undefined,
      };
      this.spreads.set(name, open);
    }
    for (const { stampMs, newestMs = stampMs } of touches) open.newestMs = Math.max(open.newestMs, newestMs);
    // The Query that names the items has to begin after the record was received.
    // rule: fan-out-is-queried-after-its-record
    open.queriedMs = undefined;
    addOldestTouches(open.isQueried ? open.later : open.touches, touches);
  }

  /** Closes a part whose newest images agree. */
  private closeByImages({ graph, streamLabel }: OddityContext, obligation: Obligation): void {
    // After a restart records come again, and the images of older ones may agree. They say nothing about drift that was found later.
    // rule: images-close-no-known-drift
    if (obligation.drift !== undefined) return;
    const { suspect } = obligation;
    // Nor about what a check has left: the difference may be of a time before all records.
    // rule: images-close-nothing-that-a-check-has-left
    if (isLeftByCheck(obligation)) return;
    const [derivedKey, ...keys] = judgingItems(graph, suspect) ?? [];
    if (derivedKey === undefined) return;
    const images = [derivedKey, ...keys].map((key) => this.items.get(textOfKey(key))?.image);
    if (images.includes(undefined)) return;
    const [derived, ...items] = images.map((image) => image!.item);
    const seen = { suspect, form: itemKindOf(graph, suspect.sortKey), derived, keys, items };
    const compared = partKindOf(suspect.part).compare(contextOfImages(graph, streamLabel), seen);
    if (compared instanceof Promise || compared.wanted !== compared.stored) return;
    const newestMs = this.newest.get(obligation.name) ?? 0;
    const closed = this.closed.get(newestMs) ?? new Map<string, Touch>();
    for (const touch of obligation.touches) {
      const known = closed.get(touch.shardId);
      if (known === undefined || touch.receipt < known.receipt) closed.set(touch.shardId, touch);
    }
    this.closed.set(newestMs, closed);
    this.closeObligation(obligation);
  }

  private closeObligation(obligation: Obligation): void {
    // rule: closed-parts-keep-their-newest-touch
    this.open.delete(obligation.name);
    this.forgetItems(obligation);
    this.forgetDrift(obligation);
  }

  private indexDrift(obligation: Obligation): void {
    const item = itemOfSuspect(obligation.suspect);
    const known = this.drifting.get(item);
    if (known === undefined) this.drifting.set(item, new Set([obligation]));
    else known.add(obligation);
  }

  private forgetDrift(obligation: Obligation): void {
    const item = itemOfSuspect(obligation.suspect);
    const known = this.drifting.get(item);
    known?.delete(obligation);
    if (known?.size === 0) this.drifting.delete(item);
  }

  private forgetItems(obligation: Obligation): void {
    for (const [name, { neededBy }] of this.itemsOf(obligation)) {
      neededBy.delete(obligation);
      if (neededBy.size === 0) this.items.delete(name);
    }
  }

  private itemsOf({ suspect }: Obligation): [string, SeenItem][] {
    const names = [itemOfSuspect(suspect), ...basesOf(suspect).map(textOfKey)];
    return names.flatMap((name): [string, SeenItem][] => {
      const seen = this.items.get(name);
      return seen === undefined ? [] : [[name, seen]];
    });
  }

  /** Whether a part is to be read now. */
  isDue(nowMs: number): boolean {
    for (const obligation of this.open.values()) if (isDue(obligation, nowMs)) return true;
    return false;
  }

  /** Returns at most `most` parts to be read now, those first that have waited longest, and begins a look at them. */
  beginLook(nowMs: number, lowMarkMs: number | undefined, most: number): Obligation[] {
    const due: Obligation[] = [];
    for (const obligation of this.open.values()) {
      if (!isDue(obligation, nowMs)) continue;
      if (this.awaitsMore(obligation, lowMarkMs)) obligation.dueMs = nowMs + this.pace.settleMs / 3;
      else due.push(obligation);
    }
    due.sort((left, right) => left.dueMs - right.dueMs);
    const begun = due.slice(0, most);
    for (const obligation of begun) {
      obligation.isLookedAt = true;
      obligation.look += 1;
    }
    return begun;
  }

  /**
   * Whether a look would have to be repeated: a Query is going to name the part again, or records that the projector has still to make are
   * going to close it. A difference found before is no drift yet.
   */
  private awaitsMore(obligation: Obligation, lowMarkMs: number | undefined): boolean {
    const spread = this.spreadReaching(obligation.suspect);
    if (spread !== undefined && spread.queriedMs === undefined) return true;
    if (lowMarkMs === undefined || obligation.drift !== undefined || isLeftByCheck(obligation)) return false;
    if ((this.newest.get(obligation.name) ?? 0) + this.pace.marginMs < lowMarkMs) return false;
    return this.itemsOf(obligation).some(([, { image, neededBy }]) => image !== undefined && neededBy.has(obligation));
  }

  /** Takes in the result of a look; undefined: it failed, or nothing can be said yet. */
  endLook(graph: CompiledModel, obligation: Obligation, result: LookResult | undefined, nowMs: number): void {
    if (this.open.get(obligation.name) !== obligation) return;
    obligation.isLookedAt = false;
    const { touches, later } = obligation;
    obligation.later = [];
    obligation.mismatch = undefined;
    if (result === 'right') {
      obligation.touches = later;
      obligation.wrongLooks = 0;
      obligation.drift = undefined;
      obligation.isException = false;
      this.forgetDrift(obligation);
      if (later.length === 0) this.closeObligation(obligation);
      obligation.dueMs = nowMs + this.msUntilNextLook(obligation);
      return;
    }
    addOldestTouches(touches, later);
    if (result === undefined) obligation.dueMs = nowMs + this.msUntilNextLook(obligation);
    else if ('instead' in result) {
      const newestMs = this.newest.get(obligation.name) ?? 0;
      this.closeObligation(obligation);
      const inherited = touches.map((touch) => ({ ...touch, newestMs }));
      this.openOrTouch(graph, result.instead, inherited, nowMs);
    } else {
      obligation.mismatch = result;
      const { behind } = result;
      if (behind !== undefined && !this.open.has(nameOfSuspect(behind)))
        this.openOrTouch(graph, behind, touches, nowMs);
    }
  }

  private msUntilNextLook({ suspect, touches, wrongLooks, drift }: Obligation): number {
    const { settleMs, mostWaitMs, countMs, driftMs } = this.pace;
    // A repair is a write, and its record brings the next look. Whether that has made it right, or something else wrong, is still open.
    if (drift !== undefined && touches.length === 0) return driftMs;
    const wait = Math.min(mostWaitMs, settleMs * 2 ** Math.min(wrongLooks, 10));
    return suspect.part.kind === 'count' ? Math.max(countMs, wait) : wait;
  }

  /**
   * Judges differences, once everything that was made before the end of the look was received.
   *
   * @param receivedThroughMs every record made before this time was received.
   * @returns what has become drift by it.
   */
  judgeDifferences(receivedThroughMs: number, nowMs: number): Obligation[] {
    const found: Obligation[] = [];
    for (const obligation of this.open.values()) {
      const { mismatch } = obligation;
      // A record that explains the difference may have been made before the look, and may not be received yet.
      // rule: difference-waits-for-its-records
      if (mismatch === undefined || receivedThroughMs <= mismatch.toMs) continue;
      obligation.mismatch = undefined;
      obligation.wrongLooks += 1;
      if (this.isLeftToBuild(obligation, mismatch)) {
        this.closeObligation(obligation);
        continue;
      }
      const state = this.stateOfDifference(obligation, mismatch);
      if (state !== undefined) {
        const isNew = this.isNewDrift(obligation, mismatch);
        this.noteDrift(obligation, mismatch, nowMs, state);
        if (isNew && state === 'drift') found.push(obligation);
      }
      obligation.dueMs = nowMs + this.msUntilNextLook(obligation);
    }
    return found;
  }

  /**
   * Whether a difference was not told yet. A record that touched known drift may have been its repair, and another one new damage: the base
   * items ask for the same as before.
   */
  private isNewDrift({ name, drift }: Obligation, { wanted }: Mismatch): boolean {
    if (drift === undefined || drift.state === 'not-ready') return true;
    const { touchedMs = drift.foundMs } = drift;
    return drift.wanted === wanted && (this.newest.get(name) ?? 0) > touchedMs;
  }

  /**
   * Whether a build has still to reach a part: nothing has touched the part since writers maintain what is built. The migration verifies it
   * before readers use it. A part that was touched later is right once its records are applied: until then it is open like any other.
   */
  private isLeftToBuild(obligation: Obligation, mismatch: Mismatch): boolean {
    const { builtSinceMs, wanted } = mismatch;
    // A build writes what base items ask for; it does not look for what they do not.
    if (builtSinceMs === undefined || wanted === null || !this.isSettled(obligation, mismatch)) return false;
    // rule: part-that-a-build-has-still-to-reach-is-closed
    return (this.newest.get(obligation.name) ?? 0) < builtSinceMs + this.pace.marginMs;
  }

  /** Returns the state of a difference that lasts; undefined: it may still become right. */
  private stateOfDifference(obligation: Obligation, mismatch: Mismatch): ObservedDrift['state'] | undefined {
    const { behind, isAwaited, builtSinceMs } = mismatch;
    // A copy without its reverse item stays open. Once the reverse item is known to be drift, the two are exceptions together.
    if (behind !== undefined) {
      return this.open.get(nameOfSuspect(behind))?.drift === undefined ? undefined : 'at-risk';
    }
    // rule: parts-behind-a-stuck-fan-out-are-given-up
    if (isAwaited && this.isBehindStuckFanOut(obligation.suspect)) return 'given-up';
    if (!this.isSettled(obligation, mismatch)) return undefined;
    // rule: part-of-what-is-built-is-no-drift
    return builtSinceMs === undefined ? 'drift' : 'not-ready';
  }

  /** Whether the fan-out that has still to visit a part is stuck: its continuation is drift. */
  private isBehindStuckFanOut(suspect: Suspect): boolean {
    const fanOut = fanOutTo(suspect);
    if (fanOut === undefined) return false;
    const sortKey = new FanOutPlaces(fanOut.edgeType).continuation(fanOut.kind);
    const continuation: Suspect = { source: fanOut.source, sortKey, part: { kind: 'continuation' } };
    return this.open.get(nameOfSuspect(continuation))?.drift !== undefined;
  }

  /** Whether nothing is on its way that could still make a part right. */
  private isSettled({ name, suspect, later }: Obligation, mismatch: Mismatch): boolean {
    const { marginMs, unknownMs } = this.pace;
    const { fromMs, lowMarkMs, isAwaited } = mismatch;
    // A continuation that is not at its end awaits itself: it is drift if the record that drives it is applied, and it has not moved.
    const isOnItsWay = isAwaited && suspect.part.kind !== 'continuation';
    // rule: alarm-waits-for-fan-outs-under-way
    if (isOnItsWay) return false;
    // rule: alarm-waits-for-open-fan-outs
    if (later.length > 0 || this.spreadReaching(suspect) !== undefined) return false;
    const touchedMs = this.newest.get(name) ?? 0;
    // rule: alarm-waits-for-the-low-mark
    return lowMarkMs === undefined ? touchedMs + unknownMs < fromMs : touchedMs + marginMs < lowMarkMs;
  }

  private noteDrift(
    obligation: Obligation,
    { wanted, stored, lowMarkMs }: Mismatch,
    nowMs: number,
    state: ObservedDrift['state'],
  ): void {
    const touchedMs = this.newest.get(obligation.name);
    obligation.drift = {
      suspect: obligation.suspect,
      wanted,
      stored,
      ...(touchedMs !== undefined && { touchedMs }),
      foundMs: obligation.drift?.foundMs ?? nowMs,
      state: obligation.drift?.state === 'given-up' ? 'given-up' : state,
      // rule: unknown-low-mark-is-told
      isCertain: lowMarkMs !== undefined,
    };
    this.indexDrift(obligation);
    // Drift is reported as an exception, so that the time goes on for everything else.
    // The time has passed an exception: a fan-out that reaches it later does not make it newer.
    // rule: exception-stays-one
    const exceptions = [...this.open.values()].filter(({ isException }) => isException);
    // rule: exceptions-are-few
    if (exceptions.length < this.pace.mostExceptions) obligation.isException = true;
    if (obligation.isException) obligation.touches = [];
  }

  /** Returns at most `most` spreads whose items a Query has still to name, and marks their Query as begun. */
  beginSpreadQueries(most: number): OpenSpread[] {
    const due = [...this.spreads.values()].filter(({ isQueried, queriedMs }) => !isQueried && queriedMs === undefined);
    const begun = due.slice(0, most);
    for (const spread of begun) spread.isQueried = true;
    return begun;
  }

  /** Opens parts that the Query of a spread has named. */
  openNamedParts(graph: CompiledModel, open: OpenSpread, suspects: readonly Suspect[], nowMs: number): void {
    // rule: parts-inherit-from-the-fan-out
    const touches = [...open.touches, ...open.later];
    for (const suspect of suspects) {
      this.openOrTouch(graph, suspect, touches, nowMs);
      this.inheritNewest(nameOfSuspect(suspect), open);
    }
  }

  /** Takes in the end of a Query; undefined: it failed. */
  endSpreadQuery(open: OpenSpread, endedMs: number | undefined): void {
    open.isQueried = false;
    const isAgain = open.later.length > 0 || endedMs === undefined;
    addOldestTouches(open.touches, open.later);
    open.later = [];
    if (!isAgain) open.queriedMs = endedMs;
  }

  /** Closes the spreads for which everything made before the end of their Query was received, and forgets old touches. */
  closeReceivedSpreads(receivedThroughMs: number, lowMarkMs: number | undefined): void {
    for (const [name, { queriedMs }] of this.spreads) {
      // A child that came during the Query is known by its record.
      // rule: fan-out-is-held-until-its-query-is-consumed
      if (queriedMs !== undefined && queriedMs < receivedThroughMs) this.spreads.delete(name);
    }
    for (const newestMs of this.closed.keys()) if (newestMs < receivedThroughMs) this.closed.delete(newestMs);
    const { marginMs, unknownMs } = this.pace;
    const oldMs = lowMarkMs === undefined ? receivedThroughMs - unknownMs : Math.min(lowMarkMs, receivedThroughMs);
    // Each time all of them are looked through.
    if (oldMs - this.forgottenMs < marginMs / 4) return;
    this.forgottenMs = oldMs;
    for (const [name, stampMs] of this.newest) {
      // A closed part may be found wrong again by an older look: its newest touch has to be known.
      if (stampMs + 2 * marginMs < oldMs && !this.open.has(name)) this.newest.delete(name);
    }
  }

  /** The open fan-out that may reach a part. */
  private spreadReaching(suspect: Suspect): OpenSpread | undefined {
    if (this.spreads.size === 0) return undefined;
    const spread = fanOutTo(suspect);
    return spread && this.spreads.get(nameOfSpread(spread));
  }
}

/** The fan-out that a part is visited by. */
function fanOutTo({ source, part }: Suspect): (Spread & { kind: FanOutOf }) | undefined {
  if (part.kind === 'copy') {
    const edgeType = typePrefix(part.target) ?? '';
    return { kind: 'copies', source: part.target.slice(edgeType.length + 1), edgeType };
  }
  if (part.kind === 'index-item' && part.target !== undefined && part.target !== source) {
    return { kind: 'joined', source, edgeType: typePrefix(part.target) ?? '' };
  }
  return undefined;
}

function isLeftByCheck({ touches, later }: Obligation): boolean {
  return [...touches, ...later].some(({ shardId }) => shardId === NO_SHARD);
}

function isDue({ dueMs, isLookedAt, mismatch }: Obligation, nowMs: number): boolean {
  return dueMs <= nowMs && !isLookedAt && mismatch === undefined;
}

/** Adds touches to a list. A touch is left out if the list has one of the same shard that is not newer. */
function addOldestTouches(to: Touch[], touches: readonly Touch[]): void {
  for (const touch of touches) {
    const { shardId, stampMs, receipt } = touch;
    const isOlder = (one: Touch): boolean =>
      one.shardId === shardId && one.stampMs <= stampMs && one.receipt <= receipt;
    if (!to.some(isOlder)) to.push(touch);
  }
}

function namesBase(part: Part): boolean {
  if (part.kind === 'index-item') return part.target !== undefined;
  return part.kind === 'reverse-item' ? part.base !== undefined : true;
}

/** The base items that a suspect names. */
function basesOf({ source, part }: Suspect): ItemKey[] {
  switch (part.kind) {
    case 'attributes':
      return [{ source, target: source }];
    case 'element':
      return [{ source, target: part.target }];
    case 'index-item':
      return part.target === undefined ? [] : [{ source, target: part.target }];
    case 'reverse-item':
      return part.base === undefined ? [] : [part.base];
    default:
      return [];
  }
}

/**
 * Returns the items whose images judge a part: the derived item first, then its base item, if it has one. Undefined: images do not judge
 * the part: its kind needs reads, two base items decide about it, or its base item is not known.
 */
function judgingItems(graph: CompiledModel, suspect: Suspect): ItemKey[] | undefined {
  const { source, sortKey, part } = suspect;
  if (JUDGED[part.kind] !== 'by-images' || !namesBase(part)) return undefined;
  // Images of two base items are of different moments, so they cannot judge a part together: it is read.
  if (part.kind === 'index-item' && needsSource(graph, part.target!)) return undefined;
  return [{ source, target: sortKey }, ...basesOf(suspect)];
}

/** A context for comparisons of images, which read nothing. */
function contextOfImages(graph: CompiledModel, streamLabel: string | undefined): CompareContext {
  const refuse = (): never => {
    throw new Error('a comparison of images has to read nothing');
  };
  return { graph, store: { getMany: refuse, query: refuse }, stream: new StreamLabel(streamLabel), derivedOf };
}
