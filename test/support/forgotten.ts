import type { UpdateOutcome } from '../../src/core/store-port.ts';

/** An outcome as an engine gives it that does not return the item that failed the condition, if `isForgotten` says so. */
export function forgotten(outcome: UpdateOutcome, isForgotten: boolean): UpdateOutcome {
  if (!isForgotten || outcome.applied || outcome.error !== undefined) return outcome;
  return { applied: false, wcu: outcome.wcu, isUnread: true };
}
