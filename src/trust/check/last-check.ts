import { type Item, jsonOf, stringOf } from '../../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import { type CountingReader, queriedItems, readItems } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { driftLeft, isClean, noVerdicts, type VerdictCounts } from '../../core/verdicts.ts';
import { CALLS_AT_ONCE, forEachOf } from '../../foundation/for-each.ts';

/** The result of the last check of the whole table. */
export interface LastCheck {
  endedAtMs: number;
  /** A time no later than the first read, in milliseconds since 1970; absent if unknown. */
  beganAtMs?: number | undefined;
  /**
   * `clean`: the check exits with 0. `drift`: it left differences or items unknown to the registry. `problems`: it exits
   * with 1 for another reason, such as quarantined items.
   */
  verdict: 'clean' | 'drift' | 'problems';
  /** Number of differences that were found and not repaired. */
  drift: number;
  pending: number;
  /** Number of base items that can't be projected in full. */
  quarantined: number;
  /** Number of derived items whose projection isn't in the table's registry. */
  unregistered?: number;
}

type FoundCounts = Pick<LastCheck, 'drift' | 'pending' | 'quarantined' | 'unregistered'>;

interface CheckShare extends FoundCounts {
  worker: number;
  /** When the run stops, in milliseconds since 1970. Identifies the run. */
  untilMs: number;
  beganAtMs?: number | undefined;
}

export interface NotedTotals extends Pick<VerdictCounts, 'drift' | 'pending' | 'quarantined' | 'unregistered'> {
  repaired: number;
  beganAtMs?: number | undefined;
  /** False if the check's rules or the table's state make it exit with 1. Default: derived from the counts. */
  isClean?: boolean | undefined;
}

export const LAST_CHECK: ItemKey = { source: SERVICE_PARTITION, target: 'check/last' };
/** When `checkAgeSeconds` was first called. Never expires, since a table may never be checked. */
const CHECK_SINCE: ItemKey = { source: SERVICE_PARTITION, target: 'check/since' };
const SHARE_PREFIX = 'check/share/';
const STATE = 'state';
const KEPT_SECONDS = 90 * 24 * 3600;
const COUNTS = ['drift', 'pending', 'quarantined', 'unregistered'] as const;

export function lastCheckItem(table: TableNames, check: LastCheck): Item {
  return stateItem(table, LAST_CHECK, check, check.endedAtMs);
}

export function readLastCheck(item: Item | undefined): LastCheck | undefined {
  const check = item && (jsonOf(item[STATE]) as Partial<LastCheck> | undefined);
  return check?.verdict === undefined ? undefined : (check as LastCheck);
}

export async function saveLastCheck(
  table: TableNames,
  store: Pick<Store, 'put'>,
  totals: NotedTotals,
  endedAtMs: number,
): Promise<void> {
  const { beganAtMs, isClean } = totals;
  await saveVerdict(table, store, countsOf(totals), { beganAtMs, endedAtMs, isClean });
}

export async function saveShare(
  table: TableNames,
  store: Pick<Store, 'put'>,
  place: Pick<CheckShare, 'worker' | 'untilMs' | 'beganAtMs'>,
  totals: NotedTotals,
  nowMs: number,
): Promise<void> {
  const { worker, untilMs, beganAtMs } = place;
  const share: CheckShare = { worker, untilMs, beganAtMs, ...countsOf(totals) };
  const target = `${SHARE_PREFIX}${String(worker).padStart(4, '0')}/${untilMs}`;
  await store.put(stateItem(table, { source: SERVICE_PARTITION, target }, share, nowMs));
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
    const share = jsonOf(item[STATE]) as CheckShare | undefined;
    shares += share === undefined ? 0 : 1;
    beganAtMs = share?.beganAtMs && beganAtMs && Math.min(beganAtMs, share.beganAtMs);
    for (const name of COUNTS) sum[name] += share?.[name] ?? 0;
  }
  // Without shares, nothing is known about the run, so it must not be saved as clean.
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
 * Returns the seconds since the last check of the whole table ended. If none has ended yet, counts from this function's
 * first call, whose time it saves in the table.
 */
export async function checkAgeSeconds(
  { table, store, stats }: CountingReader<'getMany'> & { table: TableNames; store: Pick<Store, 'put'> },
  nowMs: number,
): Promise<number> {
  const [last, since] = await readItems({ store, stats }, [LAST_CHECK, CHECK_SINCE]);
  const state = since && (jsonOf(since[STATE]) as { sinceMs?: number } | undefined);
  const sinceMs = readLastCheck(last)?.endedAtMs ?? state?.sinceMs;
  if (sinceMs === undefined) await store.put(stateItem(table, CHECK_SINCE, { sinceMs: nowMs }, undefined));
  return (nowMs - (sinceMs ?? nowMs)) / 1000;
}

function sharesIn(store: Pick<Store, 'query'>): ReturnType<typeof queriedItems> {
  return queriedItems(store, {
    partition: SERVICE_PARTITION,
    sortKey: { beginsWith: SHARE_PREFIX },
    consistent: true,
  });
}

async function saveVerdict(
  table: TableNames,
  store: Pick<Store, 'put'>,
  counts: Required<FoundCounts>,
  { isClean = isCleanAs(counts), ...times }: Pick<LastCheck, 'beganAtMs' | 'endedAtMs'> & Pick<NotedTotals, 'isClean'>,
): Promise<void> {
  const verdict = counts.drift + counts.unregistered > 0 ? 'drift' : isClean ? 'clean' : 'problems';
  await store.put(lastCheckItem(table, { ...times, verdict, ...counts }));
}

function isCleanAs({ drift, ...counts }: Required<FoundCounts>): boolean {
  return drift === 0 && isClean({ ...noVerdicts(), ...counts, repaired: 0 });
}

function countsOf(totals: NotedTotals): Required<FoundCounts> {
  const { pending, quarantined, unregistered } = totals;
  return { drift: driftLeft(totals), pending, quarantined, unregistered };
}

/** @param keptFromMs the item expires 90 days after this time; undefined: never. */
function stateItem(
  { partitionKey, sortKey, ttl }: TableNames,
  { source, target }: ItemKey,
  state: object,
  keptFromMs: number | undefined,
): Item {
  return {
    [partitionKey]: { S: source },
    [sortKey]: { S: target },
    [STATE]: { S: JSON.stringify(state) },
    ...(keptFromMs !== undefined && { [ttl]: { N: String(Math.floor(keptFromMs / 1000) + KEPT_SECONDS) } }),
  };
}
