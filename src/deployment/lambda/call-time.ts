/** The time of one call of a function. */
export interface CallTime {
  /** The time that was left when the call began, in milliseconds: nearly the function's timeout. */
  timeoutMs: number;
  /** The time before the timeout at which no more work is begun, in milliseconds. */
  reserveMs: number;
  /** Milliseconds left for work. */
  remainingMs(): number;
}

/**
 * The time of the call that begins now. It keeps the reserve, but at most half of its time: else a function with a short timeout would
 * never get on.
 */
export function timeOfCall(context: { getRemainingTimeInMillis(): number }, wantedReserveMs: number): CallTime {
  const timeoutMs = context.getRemainingTimeInMillis();
  const reserveMs = Math.min(wantedReserveMs, timeoutMs / 2);
  return { timeoutMs, reserveMs, remainingMs: () => context.getRemainingTimeInMillis() - reserveMs };
}
