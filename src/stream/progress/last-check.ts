import { stringOf } from '../../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import { type CountingReader, queriedItems, readItems } from '../../core/store-pages.ts';
import type { Store } from '../../core/store-port.ts';
import { driftLeft, type VerdictCounts } from '../../core/verdicts.ts';
import { CALLS_AT_ONCE, forEachOf } from '../../foundation/for-each.ts';
import {
  type CheckShare,
  checkShareItem,
  checkSinceItem,
  checkSinceKey,
  type LastCheck,
  lastCheckItem,
  lastCheckKey,
  readCheckShare,
  readCheckSince,
  readLastCheck,
  SHARE_RANGE,
} from './record.ts';

export interface NotedTotals extends Pick<VerdictCounts, 'drift' | 'pending' | 'quarantined' | 'unregistered'> {
  repaired: number;
  /** When the first page was read, or earlier, in milliseconds since 1970. */
  beganAtMs?: number | undefined;
}

const COUNTS = ['drift', 'pending', 'quarantined', 'unregistered'] as const;

export async function saveLastCheck(
  table: TableNames,
  store: Pick<Store, 'put'>,
  totals: NotedTotals,
  endedAtMs: number,
): Promise<void> {
  await saveVerdict(table, store, countsOf(totals), { beganAtMs: totals.beganAtMs, endedAtMs });
}

export async function saveShare(
  table: TableNames,
  store: Pick<Store, 'put'>,
  place: Pick<CheckShare, 'worker' | 'untilMs' | 'beganAtMs'>,
  totals: NotedTotals,
  nowMs: number,
): Promise<void> {
  const { worker, untilMs, beganAtMs } = place;
  const share = { worker, untilMs, beganAtMs, ...countsOf(totals) };
  await store.put(checkShareItem(table, share, nowMs));
}

export async function saveRunAsLastCheck(
  table: TableNames,
  store: Pick<Store, 'put' | 'query'>,
  endedAtMs: number,
): Promise<void> {
  const sum = { drift: 0, pending: 0, quarantined: 0, unregistered: 0 };
  let shares = 0;
  let beganAtMs: number | undefined = endedAtMs;
  for await (const item of sharesIn(store)) {
    const share = readCheckShare(item);
    shares += share === undefined ? 0 : 1;
    beganAtMs = share?.beganAtMs && beganAtMs && Math.min(beganAtMs, share.beganAtMs);
    for (const name of COUNTS) sum[name] += share?.[name] ?? 0;
  }
  // Without shares nothing is known about the run; in particular it isn't clean.
  if (shares > 0) await saveVerdict(table, store, sum, { beganAtMs, endedAtMs });
}

export async function clearShares(table: TableNames, store: Pick<Store, 'delete' | 'query'>): Promise<void> {
  await forEachOf(
    sharesIn(store),
    async (item) => {
      await store.delete({ source: SERVICE_PARTITION, target: stringOf(item[table.sortKey]) ?? '' });
    },
    { concurrency: CALLS_AT_ONCE },
  );
}

/**
 * Since a check of the whole table ended; if none has, since this was first asked, which the first caller notes in the
 * table.
 */
export async function checkAgeSeconds(
  { table, store, stats }: CountingReader<'getMany'> & { table: TableNames; store: Pick<Store, 'put'> },
  nowMs: number,
): Promise<number> {
  const [last, since] = await readItems({ store, stats }, [lastCheckKey(), checkSinceKey()]);
  const sinceMs = readLastCheck(last)?.endedAtMs ?? readCheckSince(since);
  if (sinceMs === undefined) await store.put(checkSinceItem(table, nowMs));
  return (nowMs - (sinceMs ?? nowMs)) / 1000;
}

function sharesIn(store: Pick<Store, 'query'>): ReturnType<typeof queriedItems> {
  return queriedItems(store, { partition: SERVICE_PARTITION, sortKey: SHARE_RANGE, consistent: true });
}

async function saveVerdict(
  table: TableNames,
  store: Pick<Store, 'put'>,
  counts: Required<Pick<CheckShare, (typeof COUNTS)[number]>>,
  times: Pick<LastCheck, 'beganAtMs' | 'endedAtMs'>,
): Promise<void> {
  const verdict = counts.drift + counts.unregistered > 0 ? 'drift' : 'clean';
  await store.put(lastCheckItem(table, { ...times, verdict, ...counts }));
}

function countsOf(totals: NotedTotals) {
  const { pending, quarantined, unregistered } = totals;
  return { drift: driftLeft(totals), pending, quarantined, unregistered };
}
