import type { ObservedDrift } from '../../trust/observe/obligation.ts';

/** One line about drift that an observer has found. */
export function driftLine({ suspect, wanted, stored, plain, state, isCertain }: ObservedDrift): string {
  const { source, sortKey, part } = suspect;
  const doubt = isCertain ? '' : ' (the low mark is not known: the consumer may only be late)';
  const second = plain === undefined ? '' : ` (the plain planner: ${plain ?? 'nothing'})`;
  return `${state}: ${source} ${sortKey}, ${part.kind}: expected ${wanted ?? 'nothing'}${second}, actual ${stored ?? 'nothing'}${doubt}`;
}
