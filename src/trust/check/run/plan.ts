import { EVENTUAL_READ_UNIT_BYTES } from '../../../core/items/capacity.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import type { Store } from '../../../core/store-port.ts';
import { CALLS_AT_ONCE, forEachOf } from '../../../foundation/for-each.ts';
import { clearShares } from '../last-check.ts';
import { MOST_WORKERS, type RunLimits, readLimits, SEGMENTS_A_WORKER, workersFor, wrongInput } from './limits.ts';
import { clearPlace, type RunMode, type SavedPlace, savedPlaces, savePlace } from './places.ts';

/** The state machine's request for a plan. */
export interface PlanRequest extends RunLimits {
  mode: RunMode;
  /** Hours after which a check stops and saves its place. A rebuild runs until it is done. */
  hours: number;
  repair: boolean;
}

/** One worker's share of a run: the event of its calls, without the cursor. */
export interface RunShare {
  mode: RunMode;
  worker: number;
  repair: boolean;
  /** When the run stops, in milliseconds since 1970; null if it runs until it is done. */
  untilMs: number | null;
  /** Read units per second that the worker may consume. */
  maxRcu: number;
  maxWcu: number;
}

/** The shares that workers process in parallel. */
export interface RunPlan {
  shares: RunShare[];
}

export const MODES: readonly RunMode[] = ['check', 'rebuild'];
const HOUR_MS = 3_600_000;
/**
 * A rebuild continues from places up to this age. An older rebuild probably had another cause, so the part that it
 * finished has to be rebuilt too.
 */
const REBUILD_PLACE_MS = 24 * HOUR_MS;
/** Share of the available time that a plan uses. The rest is for failures and for the last worker. */
const USED_SHARE = 0.8;
/** Read units per second planned for one worker. A partition serves 3,000. */
const UNITS_A_WORKER = 500;
const FEWEST_UNITS = 100;
/** Maximum read units per second unless the request sets them. A table that needs more takes several nights. */
export const MOST_UNITS = 4_000;
/** Looking up copies and reverse items doubles the reads. */
const COPIES_FACTOR = 2;

/**
 * Computes the number of workers, and the read units per second of all workers together, for a table of `tableBytes`.
 * Numbers in the request other than 0 are used unchanged.
 */
export function rateOf(tableBytes: number, graph: CompiledModel, request: PlanRequest) {
  const { mode, hours, workers, maxRcu, maxWcu } = request;
  const hasCopies = [...graph.edges.values()].some(({ copy }) => copy !== undefined);
  const units = (tableBytes / EVENTUAL_READ_UNIT_BYTES) * (hasCopies ? COPIES_FACTOR : 1);
  // Without this case, an empty table and 0 hours would divide 0 by 0.
  const expected = units === 0 ? 0 : units / ((hours * HOUR_MS) / 1000) / USED_SHARE;
  const rcu = maxRcu > 0 ? maxRcu : Math.ceil(Math.min(MOST_UNITS, Math.max(FEWEST_UNITS, expected)));
  const forReads = Math.min(MOST_WORKERS, Math.ceil(rcu / UNITS_A_WORKER));
  const needed = mode === 'rebuild' ? Math.max(forReads, workersFor(maxWcu)) : forReads;
  return { rcu, workers: workers > 0 ? workers : needed };
}

/**
 * Divides the whole table, or the rest of the previous run, among workers. Saves each worker's place before any worker
 * begins.
 */
export async function planRun(
  graph: CompiledModel,
  store: Store,
  request: PlanRequest,
  { tableBytes, nowMs }: { tableBytes: number; nowMs: number },
): Promise<RunPlan> {
  const { mode, hours, repair } = request;
  if (!MODES.includes(mode)) {
    throw wrongInput(
      `The input of the execution has a mode that there is not: ${JSON.stringify(mode)}.`,
      'Give check, rebuild or migrate as mode.',
    );
  }
  const { maxWcu } = readLimits(request);
  const rate = rateOf(tableBytes, graph, request);
  const places = await savedOrNewPlaces(graph, store, mode, { workers: rate.workers, nowMs });
  return {
    shares: places.map(({ worker }) => ({
      mode,
      worker,
      repair,
      untilMs: mode === 'rebuild' ? null : nowMs + hours * HOUR_MS,
      maxRcu: rate.rcu / places.length,
      maxWcu: maxWcu / places.length,
    })),
  };
}

/**
 * Returns the places that an earlier run left, or saves new ones for `workers` workers. All places are new if any has
 * another model, or if those of a rebuild are all too old.
 */
async function savedOrNewPlaces(
  graph: CompiledModel,
  store: Store,
  mode: RunMode,
  { workers, nowMs }: { workers: number; nowMs: number },
): Promise<SavedPlace[]> {
  const saved = await savedPlaces(store, mode);
  const fitting = saved.filter(({ model }) => model === graph.fingerprint);
  const savedMs = Math.max(0, ...saved.map((place) => place.savedMs ?? 0));
  const isTooOld = mode === 'rebuild' && nowMs - savedMs > REBUILD_PLACE_MS;
  if (fitting.length > 0 && fitting.length === saved.length && !isTooOld) return fitting;
  const atOnce = { concurrency: CALLS_AT_ONCE };
  await forEachOf(saved, ({ worker }) => clearPlace(store, mode, worker), atOnce);
  if (mode === 'check') await clearShares(graph.table, store);
  const segments = workers * SEGMENTS_A_WORKER;
  const places = Array.from({ length: workers }, (_, worker) => ({
    worker,
    segments,
    onlySegments: Array.from({ length: SEGMENTS_A_WORKER }, (_, i) => worker + i * workers),
    model: graph.fingerprint,
    cursor: null,
    savedMs: nowMs,
    beganMs: nowMs,
  }));
  // The first place has no model until all others are saved. If this function stops before that, the next plan starts
  // over.
  const [first, ...others] = places;
  await savePlace(store, graph.table, mode, { ...first!, model: '' });
  await forEachOf(others, (place) => savePlace(store, graph.table, mode, place), atOnce);
  await savePlace(store, graph.table, mode, first!);
  return places;
}
