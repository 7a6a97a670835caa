import type { UpdateOutcome } from '../core/store-port.ts';

export interface Spent {
  rcu?: number | undefined;
  wcu?: number | undefined;
}

export function spentBy(result: Spent | readonly UpdateOutcome[]): Spent {
  return 'length' in result ? { wcu: outcomeUnits(result) } : result;
}

/** Failed calls count as 0, because their cost is unknown. */
export function outcomeUnits(outcomes: readonly UpdateOutcome[]): number {
  return outcomes.reduce((sum, outcome) => sum + ('wcu' in outcome ? outcome.wcu : 0), 0);
}
