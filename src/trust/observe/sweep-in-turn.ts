import { runtimeOf } from '../../foundation/runtime.ts';
import type { RedriveResult } from '../repair/redrive.ts';
import { type SweepOptions, sweep } from '../repair/sweep.ts';
import { OBSERVER_LEASE_MS, readObserverProgress, TableMemory } from './memory.ts';

/**
 * Sweeps as the second reader of the stream, next to the consumer. An observer is a second reader too, so they take
 * turns by its lease. Returns undefined if an observer runs, which notices unapplied records itself.
 */
export async function sweepInTurn(options: SweepOptions): Promise<RedriveResult | undefined> {
  const { store } = options;
  const { now, remainingMs } = runtimeOf(options);
  // If no observer has ever run, a lease is unnecessary, and none should be left behind.
  if ((await readObserverProgress(store)) === undefined) return await sweep(options);
  const lease = new TableMemory(store, now);
  const endMs = now() + OBSERVER_LEASE_MS / 2;
  if ((await lease.open()) === 'busy') return undefined;
  try {
    return await sweep({ ...options, remainingMs: () => Math.min(remainingMs(), endMs - now()) });
  } finally {
    await lease.release();
  }
}
