import type { UpdateOutcome } from '../core/store-port.ts';

/** Capacity units that a call has consumed. */
export interface Spent {
  rcu?: number | undefined;
  wcu?: number | undefined;
}

/** The units in the result of any call of a store. */
export function spentBy(result: Spent | readonly UpdateOutcome[]): Spent {
  return isOfMany(result) ? { wcu: outcomeUnits(result) } : result;
}

/** The write units of many updates. An item that a call failed for has cost nothing that is known. */
export function outcomeUnits(outcomes: readonly UpdateOutcome[]): number {
  return outcomes.reduce((sum, outcome) => sum + ('wcu' in outcome ? outcome.wcu : 0), 0);
}

function isOfMany(result: Spent | readonly UpdateOutcome[]): result is readonly UpdateOutcome[] {
  return Array.isArray(result);
}
