/**
 * A moment by both clocks of a process. Neither suffices to tell how long ago something was: the steady clock stops
 * while a laptop sleeps, a virtual machine is paused or a function is frozen, and the wall clock may be set.
 */
export interface Moment {
  /** Milliseconds of a clock that never goes back. */
  steadyMs: number;
  wallMs: number;
}

export function currentMoment(): Moment {
  return { steadyMs: performance.now(), wallMs: Date.now() };
}

/**
 * Whether this many milliseconds may have passed, by either clock. If the wall clock has gone back, any time may have
 * passed. False if `from` is later.
 */
export function mayHavePassed(milliseconds: number, from: Moment, to: Moment): boolean {
  const steadyMs = to.steadyMs - from.steadyMs;
  const wallMs = to.wallMs - from.wallMs;
  if (steadyMs < 0) return false;
  // rule: time-passes-by-either-clock
  return steadyMs >= milliseconds || wallMs >= milliseconds || wallMs < 0;
}
