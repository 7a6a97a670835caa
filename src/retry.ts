import { setTimeout as delay } from 'node:timers/promises';

const BASE_MS = 25;
const CAP_MS = 5_000;

/**
 * The wait before retry number `attempt` (from 1), in milliseconds: exponential with full jitter, at most 5 s. Source:
 * "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
}

/** Waits. */
export async function sleep(milliseconds: number): Promise<void> {
  await delay(milliseconds);
}
