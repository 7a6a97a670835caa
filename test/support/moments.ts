import type { Moment } from '../../src/foundation/clocks.ts';

/** Tells the moment by one clock of a test, which stands for both clocks of a process. */
export function byOneClock(clock: () => number): () => Moment {
  return () => {
    const ms = clock();
    return { steadyMs: ms, wallMs: ms };
  };
}
