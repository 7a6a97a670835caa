import { stringOf } from '../items/attribute-value.ts';
import { SERVICE_PARTITION } from '../items/keys.ts';
import type { TableNames } from '../model/compiled.ts';
import { queriedItems } from '../store/pages.ts';
import type { Store } from '../store/port.ts';
import { type CheckShare, checkShareItem, lastCheckItem, readCheckShare, SHARE_RANGE } from './record.ts';

/** What of a check's totals is noted. */
export interface NotedTotals {
  drift: { missing: number; stale: number; orphan: number };
  pending: number;
  quarantined: number;
  unregistered: number;
  repaired: number;
}

/** The counts that are noted. */
const COUNTS = ['drift', 'pending', 'quarantined', 'unregistered'] as const;

/** Leaves in the table what a check of all of it came to, for `status`. */
export async function noteLastCheck(
  table: TableNames,
  store: Pick<Store, 'put'>,
  totals: NotedTotals,
  endedAtMs: number,
): Promise<void> {
  await noteVerdict(table, store, countsOf(totals), endedAtMs);
}

/** Leaves what a worker of a run has come to this night. Each call of the worker writes it anew. */
export async function noteShare(
  table: TableNames,
  store: Pick<Store, 'put'>,
  place: Pick<CheckShare, 'worker' | 'untilMs'>,
  totals: NotedTotals,
  nowMs: number,
): Promise<void> {
  const { worker, untilMs } = place;
  const share = { worker, untilMs, ...countsOf(totals) };
  await store.put(checkShareItem(table, share, nowMs));
}

/** The last check of a run whose workers are all done: what all of them found, in all of its nights. */
export async function noteRun(
  table: TableNames,
  store: Pick<Store, 'put' | 'query'>,
  endedAtMs: number,
): Promise<void> {
  const sum = { drift: 0, pending: 0, quarantined: 0, unregistered: 0 };
  let shares = 0;
  for await (const item of sharesIn(store)) {
    const share = readCheckShare(item);
    shares += share === undefined ? 0 : 1;
    for (const name of COUNTS) sum[name] += share?.[name] ?? 0;
  }
  // Nothing is known of a run without shares: that it was clean least of all.
  if (shares > 0) await noteVerdict(table, store, sum, endedAtMs);
}

/** Takes the shares of the run before away: a new one begins. */
export async function clearShares(table: TableNames, store: Pick<Store, 'delete' | 'query'>): Promise<void> {
  for await (const item of sharesIn(store)) {
    await store.delete({ source: SERVICE_PARTITION, target: stringOf(item[table.sortKey]) ?? '' });
  }
}

function sharesIn(store: Pick<Store, 'query'>): ReturnType<typeof queriedItems> {
  return queriedItems(store, { partition: SERVICE_PARTITION, sortKey: SHARE_RANGE, consistent: true });
}

async function noteVerdict(
  table: TableNames,
  store: Pick<Store, 'put'>,
  counts: Required<Pick<CheckShare, (typeof COUNTS)[number]>>,
  endedAtMs: number,
): Promise<void> {
  const verdict = counts.drift + counts.unregistered > 0 ? 'drift' : 'clean';
  await store.put(lastCheckItem(table, { endedAtMs, verdict, ...counts }));
}

/** Differences that are left: of a check that repairs, those that it has not mended. */
function countsOf({ drift: { missing, stale, orphan }, repaired, pending, quarantined, unregistered }: NotedTotals) {
  return { drift: Math.max(0, missing + stale + orphan - repaired), pending, quarantined, unregistered };
}
