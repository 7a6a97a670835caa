import { figureText } from '../../../../src/foundation/figure.ts';

/** The differences that a check did not judge, because their records may not be projected yet. */
export interface Waiting {
  /** Findings that are pending, without those that a change of the model holds back. */
  pending: number;
  /** How far the consumers are behind at the end of the check; undefined where that is unknown. */
  lagSeconds: number | undefined;
  /** How late they may be. */
  graceSeconds: number;
}

/** Tells whether the lag of the consumers explains the pending records, or none is pending. */
export function isExplainedByLag({ pending, lagSeconds, graceSeconds }: Waiting): boolean {
  return pending <= 0 || (lagSeconds !== undefined && lagSeconds > 0 && lagSeconds >= graceSeconds);
}

/** The consumers' lag, and what to do about pending records; empty if nothing is pending. */
export function waitingText(waiting: Waiting): string[] {
  const { pending, lagSeconds } = waiting;
  if (pending <= 0) return [];
  const behind =
    lagSeconds === undefined
      ? 'how far the consumers are behind cannot be told'
      : `the consumers are ${figureText(lagSeconds)} s behind`;
  const advice = isExplainedByLag(waiting)
    ? 'check again once they have come so far; where none runs, start one (edgeloom status)'
    : 'that does not explain it: check again; if it stays, run edgeloom redrive, which reconciles unclaimed records';
  return [`${figureText(pending)} pending, and ${behind}: ${advice}`];
}
