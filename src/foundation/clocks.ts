/**
 * A moment by two clocks. Neither suffices alone: the steady clock stops while a machine sleeps or a function is
 * frozen, and the wall clock may be set.
 */
export interface Moment {
  /** This clock never goes back. */
  steadyMs: number;
  wallMs: number;
}

export function currentMoment(): Moment {
  return { steadyMs: performance.now(), wallMs: Date.now() };
}

/** If the wall clock has gone back, any time may have passed. */
export function mayHavePassed(milliseconds: number, from: Moment, to: Moment): boolean {
  const steadyMs = to.steadyMs - from.steadyMs;
  const wallMs = to.wallMs - from.wallMs;
  if (steadyMs < 0) return false;
  // rule: time-passes-by-either-clock
  return steadyMs >= milliseconds || wallMs >= milliseconds || wallMs < 0;
}
