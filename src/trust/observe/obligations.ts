import type { Suspect } from '../../core/kinds/part.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { FanOutPlaces } from '../../core/model/projection/places.ts';
import {
  NO_SHARD,
  nameOfSpread,
  nameOfSuspect,
  type ObservedDrift,
  type Opened,
  type Spread,
  type Touch,
} from './obligation.ts';
import { ObligationIndex } from './obligation-index.ts';
import { fanOutTo, isJudged, namesBase } from './obligation-parts.ts';
import {
  addOldestTouches,
  driftOf,
  dueMsOf,
  freshPart,
  freshSpread,
  hasten,
  type LookResult,
  type Mismatch,
  moveFinding,
  movePart,
  moveSpread,
  msUntilNextLook,
  type Obligation,
  type ObserverPace,
  type OpenSpread,
  type PartEvent,
  postpone,
  touchesOf,
} from './obligation-states.ts';
import { driftBy, isNews, verdictOn } from './obligation-verdict.ts';
import { openedBy, type SeenChange } from './opened.ts';

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

/**
 * The open obligations of an observer: what records have touched, and what is not known to be right yet. It knows no store and no
 * clock: records, looks and Queries are its events, and the tables of `obligation-states.ts` say where each leads.
 */
export class Obligations {
  private readonly index = new ObligationIndex();
  private receipts = 0;

  constructor(private readonly pace: ObserverPace) {}

  /** Number of parts and spreads that are open. */
  get size(): number {
    return this.index.parts.size + this.index.spreads.size;
  }

  /** The parts that are certainly wrong, and not repaired yet. */
  get drift(): ObservedDrift[] {
    const parts = [...this.index.parts.values()];
    const drifts = (at: Obligation['finding']['at']): ObservedDrift[] =>
      parts.flatMap((part) => (part.finding.at === at ? (driftOf(part) ?? []) : []));
    // The exceptions come first: what still holds the time is found again by its records.
    return [...drifts('excepted'), ...drifts('holding')];
  }

  /**
   * Yields the touches of all open parts and spreads, each with the part or spread that it touched. Neither the verified time nor a saved
   * position passes the oldest of them.
   */
  *touches(): Generator<{ touch: Touch; of: Suspect | Spread }> {
    for (const part of this.index.parts.values())
      for (const touch of touchesOf(part)) yield { touch, of: part.suspect };
    for (const open of this.index.spreads.values())
      for (const touch of touchesOf(open)) yield { touch, of: open.spread };
  }

  // Records come in, and open.

  /** Takes in a record. The records of a shard come in their order, those of a parent shard before those of its children. */
  receiveRecord(graph: CompiledModel, { change, shardId, after, stampMs, receivedMs }: ReceivedChange): void {
    this.receipts += 1;
    const touch: Touch = { shardId, after, stampMs, receipt: this.receipts };
    this.open(graph, openedBy(graph, change), [touch], receivedMs);
    // A record that takes something wrong away opens nothing: an item that nobody asked for may be gone.
    for (const part of this.index.driftAt(change)) hasten(part, receivedMs + this.pace.graceMs);
  }

  /** Opens parts that were not opened by a record: what a check has left, or what a restart has to look at again. */
  reopen(graph: CompiledModel, opened: Opened, touches: readonly Touch[], nowMs: number): void {
    this.open(graph, opened, touches, nowMs - this.pace.graceMs);
  }

  private open(graph: CompiledModel, { suspects, spreads }: Opened, touches: readonly Touch[], nowMs: number): void {
    for (const spread of spreads) this.touchSpread(spread, touches);
    for (const suspect of suspects) this.openOrTouch(graph, suspect, touches, nowMs);
  }

  /** Keeps drift that an earlier process of the observer has found. */
  keepDrift(graph: CompiledModel, drift: ObservedDrift, nowMs: number): void {
    this.reopen(graph, { suspects: [drift.suspect], spreads: [] }, [], nowMs);
    const part = this.index.partOf(drift.suspect);
    if (part === undefined) return;
    movePart(part, 'earlier drift is kept', { at: 'waiting', dueMs: dueMsOf(part) });
    moveFinding(part, 'listed', { at: 'excepted', drift: driftOf(part) ?? drift });
    this.index.indexDrift(part);
  }

  private openOrTouch(_graph: CompiledModel, suspect: Suspect, touches: readonly Touch[], nowMs: number): void {
    if (!isJudged(suspect.part)) return;
    const { index, pace } = this;
    const name = nameOfSuspect(suspect);
    const spread = index.spreadReaching(suspect);
    // A part that an open fan-out reaches inherits its touches, also if it comes late.
    // rule: late-parts-inherit-from-the-fan-out
    const all = spread === undefined ? touches : [...touches, ...touchesOf(spread)];
    for (const { stampMs, newestMs = stampMs } of all) {
      // rule: newest-touch-is-kept
      index.newest.set(name, Math.max(newestMs, index.newest.get(name) ?? 0));
    }
    if (spread !== undefined) this.inheritNewest(name, spread);
    let part = index.parts.get(name);
    if (part === undefined) {
      part = freshPart(name, suspect, nowMs, pace);
      index.parts.set(name, part);
    } else if (namesBase(suspect.part) && !namesBase(part.suspect.part)) part.suspect = suspect;
    if (driftOf(part) !== undefined) hasten(part, nowMs + pace.graceMs);
    else if (part.stage.at === 'fresh') postpone(part, Math.min(part.stage.latestDueMs, nowMs + pace.graceMs));
    const { stage } = part;
    // A read answers what was received before it began, and nothing else.
    // rule: look-answers-what-came-before-it
    addOldestTouches(stage.at === 'looked-at' ? stage.later : part.touches, all);
  }

  /** A fan-out keeps its oldest touches only. So that its newest one is not lost for its parts, they inherit its time. */
  private inheritNewest(name: string, { newestMs }: OpenSpread): void {
    // rule: newest-touch-of-a-fan-out-is-inherited
    this.index.newest.set(name, Math.max(newestMs, this.index.newest.get(name) ?? 0));
  }

  private touchSpread(spread: Spread, touches: readonly Touch[]): void {
    const name = nameOfSpread(spread);
    let open = this.index.spreads.get(name);
    if (open === undefined) {
      open = freshSpread(name, spread);
      this.index.spreads.set(name, open);
    }
    for (const { stampMs, newestMs = stampMs } of touches) open.newestMs = Math.max(open.newestMs, newestMs);
    // The Query that names the items has to begin after the record was received.
    // rule: fan-out-is-queried-after-its-record
    if (open.stage.at === 'named') moveSpread(open, 'a record touches it', { at: 'unasked' });
    addOldestTouches(open.stage.at === 'asked' ? open.stage.later : open.touches, touches);
  }

  // Looks close.

  private close(part: Obligation, event: PartEvent): void {
    movePart(part, event, { at: 'closed' });
    this.index.parts.delete(part.name);
    this.index.newest.delete(part.name);
    moveFinding(part, 'no longer wrong', { at: 'unknown' });
    this.index.indexDrift(part);
  }

  /** Tells whether a part is to be read now. */
  isDue(nowMs: number): boolean {
    for (const part of this.index.parts.values()) if (dueMsOf(part) <= nowMs) return true;
    return false;
  }

  /** Returns at most `most` parts to be read now, those first that have waited longest, and begins a look at them. */
  beginLook(nowMs: number, lowWatermarkMs: number | undefined, most: number): Obligation[] {
    const due: Obligation[] = [];
    for (const part of this.index.parts.values()) {
      if (dueMsOf(part) > nowMs) continue;
      if (this.awaitsMore(part, lowWatermarkMs)) postpone(part, nowMs + this.pace.graceMs / 3);
      else due.push(part);
    }
    due.sort((left, right) => dueMsOf(left) - dueMsOf(right));
    const begun = due.slice(0, most);
    for (const part of begun) movePart(part, 'a look begins', { at: 'looked-at', later: [] });
    return begun;
  }

  /**
   * Tells whether a look would say nothing of the newest record: a Query is going to name the part again, or the projector has not applied the
   * record. Known drift is looked at all the same, and so is what a check has left, which no record has touched.
   */
  private awaitsMore(part: Obligation, lowWatermarkMs: number | undefined): boolean {
    const spread = this.index.spreadReaching(part.suspect);
    if (spread !== undefined && spread.stage.at !== 'named') return true;
    if (lowWatermarkMs === undefined || driftOf(part) !== undefined || isLeftByCheck(part)) return false;
    return this.index.newestMsOf(part) >= lowWatermarkMs;
  }

  /** Takes in the result of a look; undefined: it failed, or nothing can be said yet. */
  endLook(graph: CompiledModel, part: Obligation, result: LookResult | undefined, nowMs: number): void {
    if (part.stage.at !== 'looked-at') return;
    const { later } = part.stage;
    if (result === 'right') {
      part.touches = later;
      part.wrongLooks = 0;
      if (later.length === 0) {
        this.close(part, 'the look finds it right');
        return;
      }
      moveFinding(part, 'no longer wrong', { at: 'unknown' });
      this.index.indexDrift(part);
      this.wait(part, 'the look finds it right before later records', nowMs);
      return;
    }
    addOldestTouches(part.touches, later);
    if (result === undefined) this.wait(part, 'the look fails', nowMs);
    else if ('instead' in result) {
      const newestMs = this.index.newestMsOf(part);
      this.close(part, 'the look finds another part wrong');
      const inherited = part.touches.map((touch) => ({ ...touch, newestMs }));
      this.openOrTouch(graph, result.instead, inherited, nowMs);
    } else {
      movePart(part, 'the look finds a difference', { at: 'doubted', mismatch: result });
      const { behind } = result;
      if (behind !== undefined && this.index.partOf(behind) === undefined)
        this.openOrTouch(graph, behind, part.touches, nowMs);
    }
  }

  private wait(part: Obligation, event: PartEvent, nowMs: number): void {
    movePart(part, event, { at: 'waiting', dueMs: nowMs + msUntilNextLook(part, this.pace) });
  }

  // Differences are judged.

  /**
   * Judges differences, once everything that was made before the end of the look was received.
   *
   * @param receivedThroughMs every record made before this time was received.
   * @returns the drift that is news.
   */
  judgeDifferences(receivedThroughMs: number, nowMs: number): ObservedDrift[] {
    const news: ObservedDrift[] = [];
    for (const part of this.index.parts.values()) {
      const { stage } = part;
      // A record that explains the difference may have been made before the look, and may not be received yet.
      // rule: difference-waits-for-its-records
      if (stage.at !== 'doubted' || receivedThroughMs <= stage.mismatch.toMs) continue;
      const drift = this.judge(part, stage.mismatch, nowMs);
      if (drift !== undefined) news.push(drift);
    }
    return news;
  }

  /** Judges a difference; returns the drift if it is news. */
  private judge(part: Obligation, mismatch: Mismatch, nowMs: number): ObservedDrift | undefined {
    const { index } = this;
    const newestMs = index.newestMsOf(part);
    part.wrongLooks += 1;
    const around = {
      newestMs,
      isReachedByFanOut: index.spreadReaching(part.suspect) !== undefined,
      isBehindStuckFanOut: this.isBehindStuckFanOut(part.suspect),
      isReverseItemDrift: mismatch.behind !== undefined && this.isDrift(mismatch.behind),
    };
    const verdict = verdictOn(part.suspect, mismatch, around, this.pace);
    if (verdict === 'left-to-build') {
      this.close(part, 'the difference is left to a build');
      return undefined;
    }
    if (verdict === 'may-pass') {
      this.wait(part, 'the difference may pass', nowMs);
      return undefined;
    }
    const known = driftOf(part);
    const touchedMs = index.newest.get(part.name);
    const drift = driftBy(part.suspect, mismatch, verdict, { known, touchedMs, nowMs });
    this.noteDrift(part, drift);
    this.wait(part, 'the difference is drift', nowMs);
    return isNews(known, mismatch, newestMs) && verdict === 'drift' ? drift : undefined;
  }

  /** Drift is listed as an exception, so that the time goes on for everything else. */
  private noteDrift(part: Obligation, drift: ObservedDrift): void {
    // The time has passed an exception: a fan-out that reaches it later does not make it newer.
    // rule: exception-stays-one
    const exceptions = [...this.index.parts.values()].filter(({ finding }) => finding.at === 'excepted');
    // rule: exceptions-are-few
    if (part.finding.at === 'excepted' || exceptions.length < this.pace.mostExceptions) {
      moveFinding(part, 'listed', { at: 'excepted', drift });
      part.touches = [];
    } else moveFinding(part, 'found wrong', { at: 'holding', drift });
    this.index.indexDrift(part);
  }

  /** Tells whether the fan-out that has still to visit a part is stuck: its continuation is drift. */
  private isBehindStuckFanOut(suspect: Suspect): boolean {
    const fanOut = fanOutTo(suspect);
    if (fanOut === undefined) return false;
    const sortKey = new FanOutPlaces(fanOut.edgeType).continuation(fanOut.kind);
    return this.isDrift({ source: fanOut.source, sortKey, part: { kind: 'continuation' } });
  }

  private isDrift(suspect: Suspect): boolean {
    const part = this.index.partOf(suspect);
    return part !== undefined && driftOf(part) !== undefined;
  }

  // Fan-outs name their parts.

  /** Returns at most `most` spreads whose items a Query has still to name, and marks their Query as begun. */
  beginSpreadQueries(most: number): OpenSpread[] {
    const due = [...this.index.spreads.values()].filter(({ stage }) => stage.at === 'unasked');
    const begun = due.slice(0, most);
    for (const open of begun) moveSpread(open, 'the Query begins', { at: 'asked', later: [] });
    return begun;
  }

  /** Opens parts that the Query of a spread has named. */
  openNamedParts(graph: CompiledModel, open: OpenSpread, suspects: readonly Suspect[], nowMs: number): void {
    // rule: parts-inherit-from-the-fan-out
    const touches = touchesOf(open);
    for (const suspect of suspects) {
      this.openOrTouch(graph, suspect, touches, nowMs);
      const part = this.index.partOf(suspect);
      if (part !== undefined) this.inheritNewest(part.name, open);
    }
  }

  /** Takes in the end of a Query; undefined: it failed. */
  endSpreadQuery(open: OpenSpread, endedMs: number | undefined): void {
    if (open.stage.at !== 'asked') return;
    const { later } = open.stage;
    addOldestTouches(open.touches, later);
    if (endedMs === undefined || later.length > 0) {
      moveSpread(open, 'the Query fails or a record comes meanwhile', { at: 'unasked' });
    } else moveSpread(open, 'the Query ends', { at: 'named', queriedMs: endedMs });
  }

  /** Closes the spreads for which everything made before the end of their Query was received. */
  closeReceivedSpreads(receivedThroughMs: number): void {
    for (const [name, open] of this.index.spreads) {
      // A child that came during the Query is known by its record.
      // rule: fan-out-is-held-until-its-query-is-consumed
      if (open.stage.at !== 'named' || open.stage.queriedMs >= receivedThroughMs) continue;
      moveSpread(open, 'all before its end is received', { at: 'closed' });
      this.index.spreads.delete(name);
    }
  }
}

function isLeftByCheck(part: Obligation): boolean {
  return touchesOf(part).some(({ shardId }) => shardId === NO_SHARD);
}
