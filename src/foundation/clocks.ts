/**
 * Needs both clocks: the steady clock stops while a machine sleeps or a function is frozen, and the wall clock may be
 * set.
 */
export interface Moment {
  steadyMs: number;
  wallMs: number;
}

export function currentMoment(): Moment {
  return { steadyMs: performance.now(), wallMs: Date.now() };
}

/** Returns true if the wall clock has gone back, because any time may have passed since `from`. */
export function mayHavePassed(milliseconds: number, from: Moment, to: Moment): boolean {
  const steadyMs = to.steadyMs - from.steadyMs;
  const wallMs = to.wallMs - from.wallMs;
  if (steadyMs < 0) return false;
  // rule: time-passes-by-either-clock
  return steadyMs >= milliseconds || wallMs >= milliseconds || wallMs < 0;
}
