import type { FeedModel } from '../../client/feed/changes-of.ts';
import { Feeder, type TakeEvents } from '../../client/feed/feeder.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ItemKey, ScanSource, Store } from '../../core/store-port.ts';
import { isWrongVerdict, VERDICTS } from '../../core/verdicts.ts';
import { losslessNumber } from '../../foundation/exact-json.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { modelToCheck } from '../../registry/checked.ts';
import { registryLeases } from '../../registry/reader-lease.ts';
import { runAbortable } from '../../store/abortable.ts';
import { lowWatermarkOfTail } from '../../stream/progress/low-watermark.ts';
import type { StreamSource } from '../../stream/source.ts';
import { check } from '../check/check.ts';
import { LAST_CHECK, readLastCheck } from '../check/last-check.ts';
import { Repairer } from '../repair/repairer.ts';
import type { ObservedDrift } from './drift.ts';

import { askIndexes, type IndexDifference, IndexSample } from './index-sample.ts';
import { TableMemory } from './memory.ts';
import { Observer, type ObserverLimits } from './observer.ts';
import type { ObserverMemory, ObserverState } from './state.ts';

export interface ObserveOptions extends RuntimeOptions {
  graph: CompiledModel;
  store: Store & ScanSource;
  source: StreamSource;
  /**
   * Returns the time before which the projector has applied every record, in milliseconds since 1970. Default: the low
   * watermark, which the run advances as it reads records.
   */
  lowWatermark?: (() => Promise<number | undefined>) | undefined;
  /** How long a low watermark is reused. Default: 5,000. */
  markMs?: number | undefined;
  /**
   * Share of the changed derived items, from 0 to 1, for which the table's indexes are queried at least a minute later.
   * The indexes' content is sampled, never verified. Default: 0.001.
   */
  indexShare?: number | undefined;
  /** Continues the sample of an earlier run in this process. Default: a new sample with `indexShare`. */
  indexSample?: IndexSample | undefined;
  /**
   * Called for each sampled item that an index still shows differently from the table more than 20 minutes after the
   * item's last change.
   */
  onIndexDifference?: ((difference: IndexDifference) => void) | undefined;
  /** Repairs the drift that it finds. Default: false. */
  repairs?: boolean | undefined;
  /**
   * Checks the whole table when the proof lacks its base: at the first run and after a gap. If false, the base has to
   * be a check by another process, such as `edgeloom check` or the nightly one, that finds nothing. Default: true.
   */
  checks?: boolean | undefined;
  /**
   * Ends the run once nothing is left to read, and everything is verified through the beginning of the run. Default:
   * false.
   */
  untilVerified?: boolean | undefined;
  /** Ends the run once nothing is left to read, and no record read waits to be judged. Default: false. */
  untilAtRest?: boolean | undefined;
  /** Called for new drift (see `isNews`). */
  onDrift?: ((drift: ObservedDrift) => void) | undefined;
  /** Called with one line for each repair, and for each one that fails. */
  onRepair?: ((action: string) => void) | undefined;
  /** Called after each turn with the progress and the number of the turn's records. */
  onProgress?: ((progress: ObserverProgress, records: number) => void) | undefined;
  /**
   * Receives the records' changes in terms of the model, as `changesOf` returns them. They count as delivered once the
   * function returns. If it throws, the run ends with its error, and the next run delivers them again. Default: no feed.
   */
  feed?: TakeEvents | undefined;
  /** Keeps the state. Default: in the table. */
  memory?: (ObserverMemory & { close(): Promise<void> }) | undefined;
  limits?: Partial<ObserverLimits> | undefined;
}

/** How far an observer has come. */
export interface ObserverProgress {
  /**
   * When the observer took the positions from which it reads, at its first run or after a gap, in milliseconds since
   * 1970.
   */
  sinceMs?: number | undefined;
  /**
   * Derived items that nothing has touched since this time are right, except those in `drift`. In milliseconds since
   * 1970; absent if unknown.
   */
  verifiedThroughMs?: number | undefined;
  /** The item, shard or gap that holds back `verifiedThroughMs`; absent if nothing does. */
  heldBy?: string | undefined;
  /** The known differences that nobody has repaired. */
  drift: ObservedDrift[];
}

export interface ObserveResult extends ObserverProgress {
  records: number;
  /**
   * `busy`: another process observes the table. `lost`: another process has taken over. `time`: no time was left.
   * `rest` and `verified`: the condition of `untilAtRest` or `untilVerified` was met.
   */
  endedBy: 'busy' | 'lost' | 'rest' | 'time' | 'verified';
}

/**
 * Milliseconds between two saves, between two turns that find nothing, and between two looks for a clean last check.
 */
const [SAVE_MS, PAUSE_MS, ASK_MS] = [5_000, 1_000, 30_000];
const LEAST_PAUSE_MS = 20;
const [FEW_SHARDS, MOST_SAVE_MS] = [500, 30_000];
export const MARK_MS = 5_000;

/**
 * Observes a table: reads its stream, judges each change of base and derived items, and saves the time through which
 * everything is verified. Only one process at a time observes a table. Runs until `signal` aborts it or `remainingMs`
 * reaches 0.
 *
 * @example
 * const { verifiedThroughMs, drift } = await observe({ graph, store, source, untilVerified: true });
 */
export async function observe(options: ObserveOptions): Promise<ObserveResult> {
  return await runAbortable(
    options.store,
    options,
    async (store, wait) => await observeUntilEnd({ ...options, store, wait }),
  );
}

async function observeUntilEnd(
  options: ObserveOptions & { wait: NonNullable<RuntimeOptions['wait']> },
): Promise<ObserveResult> {
  const { graph, store, source, checks = true, untilVerified = false, untilAtRest = false, markMs = MARK_MS } = options;
  const { now, wait, remainingMs } = runtimeOf(options);
  const memory = options.memory ?? new TableMemory(store, now);
  const state = await memory.open();
  if (state === 'busy') return { drift: [], records: 0, endedBy: 'busy' };
  const lowWatermark =
    options.lowWatermark === undefined ? lowWatermarkOfTail({ graph, store, source, now }, markMs) : undefined;
  const feeder = options.feed && feederOf(options, options.feed, state);
  const { indexSample: sample = new IndexSample(graph, options.indexShare), onIndexDifference } = options;
  sample.resume(state?.sampled, now());
  const observer = new Observer(
    {
      feeder,
      indexSample: sample,
      ...{ model: modelToCheck(graph, store), store, source, table: graph.table, now },
      lowWatermark: options.lowWatermark ?? lowWatermark!.upToMs,
      listener: lowWatermark?.listener,
      limits: options.limits,
      async onDrift(drift) {
        options.onDrift?.(drift);
        if (options.repairs === true) await repairDrift(options, [drift]);
      },
    },
    state,
  );
  const beganMs = now();
  if (options.repairs === true) await repairDrift(options, state?.drift ?? []);
  let records = 0;
  let savedMs = now();
  let askedMs = Number.NEGATIVE_INFINITY;
  let endedBy: ObserveResult['endedBy'] = 'time';
  const save = async (): Promise<boolean> => {
    // Taken first, because the saved positions must not pass what the feed has delivered.
    const state = observer.stateToSave();
    const feed = await feeder?.tellGaps(observer.shardIdsAfter(state));
    return await memory.save({ ...state, ...(feed && { feed }), sampled: sample.sampled });
  };
  const saveIfDue = async (): Promise<void> => {
    if (now() - savedMs < saveEveryMs(observer)) return;
    savedMs = now();
    // If another process has taken over, the save after the check notices it.
    await save();
  };
  while (remainingMs() > 0) {
    const turn = await observer.runTurn();
    records += turn.records;
    await askIndexes({ graph, store, now, sample, onIndexDifference });
    if (observer.needsWholeCheck && now() - askedMs >= ASK_MS) {
      askedMs = now();
      await takeLastCheck(store, observer);
    }
    if (checks && observer.needsWholeCheck) await checkWholeTable(options, observer, saveIfDue);
    options.onProgress?.(progressOf(observer), turn.records);
    const isVerified = untilVerified && turn.isIdle && (observer.verifiedThroughMs ?? 0) > beganMs;
    if (isVerified || now() - savedMs >= saveEveryMs(observer)) {
      savedMs = now();
      if (!(await save())) {
        endedBy = 'lost';
        break;
      }
    }
    if (isVerified) {
      endedBy = 'verified';
      break;
    }
    if (untilAtRest && observer.isAtRest) {
      endedBy = 'rest';
      break;
    }
    // Leaves time for another turn in a short run.
    if (turn.isIdle) await wait(Math.min(PAUSE_MS, Math.max(LEAST_PAUSE_MS, remainingMs() / 4)));
  }
  if (endedBy === 'time' || endedBy === 'rest') await save();
  await memory.close();
  return { ...progressOf(observer), records, endedBy };
}

/** Thousands of shards' places take many write units, so they are saved less often, but well within the lease. */
function saveEveryMs({ shardCount }: Observer): number {
  return Math.min(MOST_SAVE_MS, SAVE_MS * Math.max(1, shardCount / FEW_SHARDS));
}

function feederOf({ graph, store, now }: ObserveOptions, take: TakeEvents, state: ObserverState | undefined): Feeder {
  const leases = registryLeases(graph, store);
  const model = (): Promise<FeedModel> =>
    leases.hold(async (projections) => ({ graph, projections, readNumber: losslessNumber }));
  return new Feeder({ model, take, now: runtimeOf({ now }).now }, state?.feed);
}

function progressOf({ verifiedThroughMs, heldBy, drift, positionsMs }: Observer): ObserverProgress {
  return {
    ...(positionsMs !== undefined && { sinceMs: positionsMs }),
    ...(verifiedThroughMs !== undefined && { verifiedThroughMs }),
    ...(heldBy !== undefined && { heldBy }),
    drift,
  };
}

/**
 * Uses the last check of the whole table as the base of the proof, if it left no derived item wrong and began late
 * enough.
 */
async function takeLastCheck(store: Pick<Store, 'get'>, observer: Observer): Promise<void> {
  const { item } = await store.get(LAST_CHECK, { consistent: true });
  const last = readLastCheck(item);
  if (last?.beganAtMs === undefined) return;
  // Doesn't use the verdict, which also depends on the check's options, such as `--strict`.
  const { drift, pending, quarantined, unregistered = 0 } = last;
  if (drift + pending + quarantined + unregistered === 0) await observer.takeCleanCheck(last.beganAtMs);
}

/**
 * Makes a check of the whole table the base of the proof. The observer judges the differences that it leaves. `keep` is
 * called after each page, because the check takes longer than the lease.
 */
async function checkWholeTable(
  { graph, store, now, wait, remainingMs }: ObserveOptions,
  observer: Observer,
  keep: () => Promise<void>,
): Promise<void> {
  const left: ItemKey[] = [];
  const beganMs = runtimeOf({ now }).now();
  const { cursor } = await check(graph, {
    ...{ store, now, wait, remainingMs },
    graceMs: 1_000,
    onProgress: keep,
    onFinding: ({ source: partition, target, verdict }) => {
      // Base items of unknown types and edges to missing nodes make no derived item wrong.
      if (isWrongVerdict(verdict) || VERDICTS[verdict].names === 'derived item')
        left.push({ source: partition, target });
    },
  });
  // A check that the end of the run cut off can't be the base.
  if (cursor === undefined) await observer.endWholeCheck(beganMs, left);
}

async function repairDrift(options: ObserveOptions, drift: readonly ObservedDrift[]): Promise<void> {
  if (drift.length === 0) return;
  const { graph, store, onRepair } = options;
  const runtime = runtimeOf(options);
  const model = modelToCheck(graph, store);
  const repairer = new Repairer({
    ...{ graph: await model.current(), store, model, ...runtime, onRepair, isPlan: false },
  });
  await repairer.repair(drift.map(({ suspect }) => suspect));
}
