import type { OfGraph } from '../../core/model/compiled.ts';
import { CALLS_AT_ONCE, forEachOf } from '../../foundation/for-each.ts';
import { runtimeOf } from '../../foundation/runtime.ts';
import { readHead } from '../../registry/head.ts';
import type { MigrateAction } from '../action.ts';
import { MOST_OVERTAKEN, migrateTable, overtakenTooOften } from '../migrate.ts';
import type { MigrateOptions, MigrateStep } from '../migrate-types.ts';
import type { MigratePlace } from '../walks/place.ts';
import {
  clearShares,
  forgetRun,
  RUN,
  readRun,
  readShare,
  readShares,
  type SavedRun,
  type SavedShare,
  save,
  shareKey,
} from './saved-run.ts';

/**
 * Divides a migration among several callers. One decides the steps and divides each walk into shares, and continues
 * when all shares are done. All progress is in the table, so that another caller can continue after a failure or work
 * at the same time.
 */

export interface Division {
  shares: number;
  segmentsOfShare: number;
}

export type DividedOptions = Omit<
  OfGraph<MigrateOptions>,
  'walks' | 'resume' | 'waitsBetweenCalls' | 'action' | 'mostSteps'
>;

/** The result of a migration whose walks are divided among workers. */
export interface DividedResult {
  steps: MigrateStep[];
  /** True if the table maintains everything in the model. */
  done: boolean;
  /** The next step, in words; empty if there is none. */
  next: string;
  /** Actions that would remove projections that only other models have. Empty while steps are left. */
  leftovers: MigrateAction[];
  /** Shares to walk before the next call. */
  shares: { plan: string; share: number }[];
  waitSeconds: number;
}

const OVERTAKEN_SECONDS = 5;

export async function decideMigration(options: DividedOptions, division: Division): Promise<DividedResult> {
  const { graph, store } = options;
  const { sortKey } = graph.table;
  const reader = { store, stats: { rcu: 0 } };
  const { value, revision } = await readRun(reader);
  const saved = value && (await isOfThisRegistry(options, value)) ? value : undefined;
  const shares = saved?.walk && (await readShares(store, sortKey, saved.walk.plan));
  const place = saved && placeAfter(saved, shares ?? new Map());
  const result = await migrateTable({ ...options, walks: 'others', waitsBetweenCalls: true, resume: place });
  const { steps, next, leftovers, toWalk, waitSeconds = 0 } = result;
  const decided = { steps, next, leftovers, done: false, shares: [], waitSeconds };
  if (result.place === undefined) {
    if (value === undefined || value.model === graph.fingerprint) await forgetRun(store, sortKey);
    return { ...decided, done: true };
  }
  // Another run may have changed the registry, so the dealt-out walk may not be needed any more.
  const isDealt = toWalk !== undefined && saved?.walk?.name === toWalk && shares?.size === saved.walk.shares;
  const walk = isDealt ? saved.walk : toWalk === undefined ? undefined : await dealOutShares(options, toWalk, division);
  const version = (await readHead(reader))?.registry.version ?? 0;
  const replaced = (value?.replaced ?? 0) + (value === undefined || value.model === graph.fingerprint ? 0 : 1);
  // A run for another model replaces the saved place and loses what the earlier run has verified, so two runs could
  // replace each other's forever.
  // rule: runs-of-two-models-do-not-replace-each-other-for-ever
  if (replaced > MOST_OVERTAKEN) {
    await save(store, RUN, { ...value!, replaced: 0 }, revision);
    throw overtakenTooOften();
  }
  const run: SavedRun = { model: graph.fingerprint, version, place: result.place, replaced, walk };
  if (!(await save(store, RUN, run, revision))) return { ...decided, waitSeconds: OVERTAKEN_SECONDS };
  // The new run is saved first, because a worker may read the shares of an earlier walk until then.
  if (!isDealt) await clearShares(store, sortKey, walk?.plan);
  if (walk === undefined) return decided;
  const open = Array.from({ length: walk.shares }, (_, share) => ({ plan: walk.plan, share })).filter(
    ({ share }) => !isDealt || isShareOpen(shares?.get(share)),
  );
  return { ...decided, shares: open, waitSeconds: 0 };
}

async function isOfThisRegistry({ graph, store }: DividedOptions, { model, version }: SavedRun): Promise<boolean> {
  const head = await readHead({ store, stats: { rcu: 0 } });
  return model === graph.fingerprint && head !== undefined && head.registry.version >= version;
}

function placeAfter({ place, walk }: SavedRun, shares: ReadonlyMap<number, SavedShare>): MigratePlace {
  if (walk === undefined) return place;
  const all = Array.from({ length: walk.shares }, (_, share) => shares.get(share));
  // rule: walk-is-done-when-all-shares-are
  if (all.some(isShareOpen)) return place;
  return { ...place, walked: [...(place.walked ?? []), walk.name] };
}

function isShareOpen(share: SavedShare | undefined): boolean {
  return share === undefined || share.at.open.length > 0;
}

async function dealOutShares(options: DividedOptions, name: string, { shares, segmentsOfShare }: Division) {
  // A new id keeps late workers of an earlier walk from finding and finishing shares of this one.
  // rule: walk-has-shares-of-its-own
  const plan = Math.floor(runtimeOf(options).random() * 2 ** 48).toString(36);
  const segments = shares * segmentsOfShare;
  await forEachOf(
    Array.from({ length: shares }, (_, share) => share),
    async (share) => {
      const open = Array.from({ length: segmentsOfShare }, (_, i) => ({ segment: share + i * shares }));
      await save(options.store, shareKey(plan, share), { at: { segments, open } }, undefined);
    },
    { concurrency: CALLS_AT_ONCE },
  );
  return { name, plan, shares };
}

/** `isDone`: the share is done, another worker has it, or its walk is over. */
export async function walkShare(
  options: DividedOptions,
  { plan, share }: { plan: string; share: number },
): Promise<{ isDone: boolean }> {
  const reader = { store: options.store, stats: { rcu: 0 } };
  const { value: run } = await readRun(reader);
  const { value: own, revision } = await readShare(reader, plan, share);
  if (run?.walk?.plan !== plan || own === undefined || !isShareOpen(own)) return { isDone: true };
  const { name } = run.walk;
  const { place } = await migrateTable({
    ...options,
    walks: { only: name },
    waitsBetweenCalls: true,
    resume: { ...run.place, walk: { name, at: own.at } },
  });
  if (place?.walk?.name !== name) return { isDone: true };
  const { at } = place.walk;
  const isSaved = await save(options.store, shareKey(plan, share), { at }, revision);
  return { isDone: !isSaved || at.open.length === 0 };
}
