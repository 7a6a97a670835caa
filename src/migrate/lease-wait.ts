import { LEASE_MS } from '../registry/reader-lease.ts';
import type { MigratePlace } from './walks/place.ts';

/** Waiting for readers between two calls of a migration. */

type Waiting = NonNullable<MigratePlace['waiting']>;

/** A lease has ended by then on any clock: that of this call may differ from that of the call before by some seconds. */
const LEASE_PASSES_MS = LEASE_MS + 5_000;

/** What is still to be waited for; undefined where the call before has waited for the same long enough. */
export function waitingFor(seen: readonly string[], before: Waiting | undefined, nowMs: number): Waiting | undefined {
  const isSame = before !== undefined && seen.every((name) => before.seen.includes(name));
  if (isSame && nowMs - before.sinceMs >= LEASE_PASSES_MS) return undefined;
  return { seen: [...seen], sinceMs: isSame ? before.sinceMs : nowMs };
}

/** Seconds until the next call shall be made. */
export function waitSeconds({ waiting }: MigratePlace, nowMs: number): number {
  return waiting === undefined ? 1 : Math.ceil(Math.max(0, waiting.sinceMs + LEASE_PASSES_MS - nowMs) / 1000);
}
