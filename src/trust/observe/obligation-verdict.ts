import type { Suspect } from '../../core/kinds/part.ts';
import type { ObservedDrift } from './obligation.ts';
import type { Mismatch, ObserverPace } from './obligation-states.ts';

/** The judgement of a difference that a look has found, once all records from before the end of the look are received. */

/** The facts about a difference that other obligations know. */
export interface Surroundings {
  /** When the newest record was made that touched the part; 0: none is known. */
  newestMs: number;
  /** An open fan-out may reach the part. */
  isReachedByFanOut: boolean;
  /** The fan-out that has still to visit the part is stuck: its continuation is drift. */
  isBehindStuckFanOut: boolean;
  /** The reverse item that a copy lacks is known drift. */
  isReverseItemDrift: boolean;
}

/** `may-pass`: it may still become right. `left-to-build`: a build has still to reach the part. Otherwise the state of its drift. */
export type Verdict = 'may-pass' | 'left-to-build' | ObservedDrift['state'];

/** Judges a difference. */
export function verdictOn(suspect: Suspect, mismatch: Mismatch, around: Surroundings, pace: ObserverPace): Verdict {
  const { behind, isAwaited, builtSinceMs } = mismatch;
  const isLasting = lasts(suspect, mismatch, around, pace);
  if (isLasting && isLeftToBuild(mismatch, around, pace)) return 'left-to-build';
  // A copy without its reverse item stays open. Once the reverse item is known to be drift, the two are exceptions together.
  if (behind !== undefined) return around.isReverseItemDrift ? 'at-risk' : 'may-pass';
  // rule: parts-behind-a-stuck-fan-out-are-given-up
  if (isAwaited && around.isBehindStuckFanOut) return 'given-up';
  if (!isLasting) return 'may-pass';
  // rule: part-of-what-is-built-is-no-drift
  return builtSinceMs === undefined ? 'drift' : 'not-ready';
}

/** Tells whether nothing is on its way that could still make a part right. */
function lasts(suspect: Suspect, mismatch: Mismatch, around: Surroundings, pace: ObserverPace): boolean {
  const { fromMs, lowWatermarkMs, isAwaited } = mismatch;
  // A continuation that is not at its end awaits itself: it is drift if the record that drives it is applied, and it has not moved.
  const isOnItsWay = isAwaited && suspect.part.kind !== 'continuation';
  // rule: alarm-waits-for-fan-outs-under-way
  if (isOnItsWay) return false;
  // rule: alarm-waits-for-open-fan-outs
  if (around.isReachedByFanOut) return false;
  const touchedMs = around.newestMs;
  // rule: alarm-waits-for-the-low-watermark
  return lowWatermarkMs === undefined
    ? touchedMs + pace.unknownMs < fromMs
    : touchedMs + pace.marginMs < lowWatermarkMs;
}

/**
 * Tells whether a build has still to reach a part: nothing has touched the part since writers maintain what is built. The migration verifies it
 * before readers use it. A part that was touched later is right once its records are applied: until then it is open like any other.
 */
function isLeftToBuild({ builtSinceMs, expected }: Mismatch, { newestMs }: Surroundings, pace: ObserverPace): boolean {
  // A build writes what base items ask for; it does not look for what they do not.
  if (builtSinceMs === undefined || expected === null) return false;
  // rule: part-that-a-build-has-still-to-reach-is-closed
  return newestMs < builtSinceMs + pace.marginMs;
}

/**
 * Tells whether drift is news. A record that touched known drift may have been its repair, and another one new damage: the base items ask for the
 * same as before.
 */
export function isNews(drift: ObservedDrift | undefined, { expected }: Mismatch, newestMs: number): boolean {
  if (drift === undefined || drift.state === 'not-ready') return true;
  const { touchedMs = drift.foundMs } = drift;
  return drift.expected === expected && newestMs > touchedMs;
}

/**
 * Returns the drift that a difference is.
 *
 * @param known the drift that is known of the part already.
 * @param touchedMs when the newest record was made that touched the part.
 */
export function driftBy(
  suspect: Suspect,
  { expected, stored, lowWatermarkMs }: Mismatch,
  state: ObservedDrift['state'],
  { known, touchedMs, nowMs }: { known: ObservedDrift | undefined; touchedMs: number | undefined; nowMs: number },
): ObservedDrift {
  return {
    suspect,
    expected,
    stored,
    ...(touchedMs !== undefined && { touchedMs }),
    foundMs: known?.foundMs ?? nowMs,
    state: known?.state === 'given-up' ? 'given-up' : state,
    // rule: unknown-low-watermark-is-told
    isCertain: lowWatermarkMs !== undefined,
  };
}
