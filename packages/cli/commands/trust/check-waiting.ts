import { figureText } from '../../../../src/foundation/figure.ts';

/** Differences that weren't judged because their records may not be projected yet, and the lag. */
export interface Waiting {
  /** Number of these differences, except those that a model change explains. */
  pending: number;
  lagSeconds: number | undefined;
  graceSeconds: number;
}

export function isExplainedByLag({ pending, lagSeconds, graceSeconds }: Waiting): boolean {
  return pending <= 0 || (lagSeconds !== undefined && lagSeconds > 0 && lagSeconds >= graceSeconds);
}

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
