/**
 * A moment by both clocks of a process. Neither is enough to say how long ago something was: the steady clock stops while a
 * laptop sleeps, a virtual machine is paused or a function is frozen, and the wall clock is set forwards and backwards.
 */
export interface Moment {
  /** Milliseconds of a clock that never goes back. */
  steadyMs: number;
  /** Milliseconds since 1970. */
  wallMs: number;
}

/** This moment. */
export function currentMoment(): Moment {
  return { steadyMs: performance.now(), wallMs: Date.now() };
}

/**
 * Whether a time, in milliseconds, may have passed between two moments: as soon as either clock says so. A wall clock that has gone
 * back says nothing about the time that has passed, so it may have passed. False where `from` is the later of the two.
 */
export function mayHavePassed(milliseconds: number, from: Moment, to: Moment): boolean {
  const steadyMs = to.steadyMs - from.steadyMs;
  const wallMs = to.wallMs - from.wallMs;
  if (steadyMs < 0) return false;
  // rule: time-passes-by-either-clock
  return steadyMs >= milliseconds || wallMs >= milliseconds || wallMs < 0;
}
