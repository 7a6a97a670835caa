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
 * Tells whether this many milliseconds may have passed between two moments: one of the two clocks is enough. A wall clock that has gone back does not
 * show how much time has passed, so any time may have. False if `from` is the later moment.
 */
export function mayHavePassed(milliseconds: number, from: Moment, to: Moment): boolean {
  const steadyMs = to.steadyMs - from.steadyMs;
  const wallMs = to.wallMs - from.wallMs;
  if (steadyMs < 0) return false;
  // rule: time-passes-by-either-clock
  return steadyMs >= milliseconds || wallMs >= milliseconds || wallMs < 0;
}
