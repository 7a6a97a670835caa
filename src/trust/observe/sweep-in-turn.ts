import { runtimeOf } from '../../foundation/runtime.ts';
import type { RedriveResult } from '../repair/redrive.ts';
import { type SweepOptions, sweep } from '../repair/sweep.ts';
import { OBSERVER_LEASE_MS, readObserverProgress, TableMemory } from './memory.ts';

/**
 * Sweeps as the second reader of the stream, next to the consumer. The observer is that reader where it runs: the two take turns by its
 * lease. While an observer works it serves `status`, and sees what is not applied; so nothing is lost by a sweep that is left out.
 * Undefined: an observer works.
 */
export async function sweepInTurn(options: SweepOptions): Promise<RedriveResult | undefined> {
  const { store } = options;
  const { now, remainingMs } = runtimeOf(options);
  // Without an observer there is nobody to take turns with, and no trace of one is left.
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
