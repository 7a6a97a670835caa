import type { CompiledModel } from '../model/compiled.ts';
import { clearPlace, type RunMode, type SavedPlace, savedPlaces, savePlace } from '../progress/check-places.ts';
import { clearShares } from '../progress/last-check.ts';
import type { Store } from '../store/port.ts';

/** What the state machine asks for before a run. Zeros leave it to the table's size. */
export interface PlanRequest {
  mode: RunMode;
  /** Hours after which the run stops and leaves its place. */
  hours: number;
  /** Functions that run at once. */
  workers: number;
  /** Read units a second, of all workers together. */
  maxRcu: number;
  /** Write units a second, of all workers together. */
  maxWcu: number;
  /** Mend what is drift. */
  repair: boolean;
}

/** One worker's share of a run: the event of its calls, beside the cursor. */
export interface RunShare {
  mode: RunMode;
  worker: number;
  repair: boolean;
  /** When the run stops, in milliseconds since 1970. */
  untilMs: number;
  /** Units a second that the worker may consume. */
  maxRcu: number;
  maxWcu: number;
}

/** What a plan gives. */
export interface RunPlan {
  shares: RunShare[];
}

const HOUR_MS = 3_600_000;
/** Bytes that an eventually consistent scan reads for one unit. */
const BYTES_A_UNIT = 8192;
/** What is left of the time for what goes wrong, and for the last worker. */
const USED_SHARE = 0.8;
/** What one worker reads at most; a partition gives 3,000. */
const UNITS_A_WORKER = 500;
const FEWEST_UNITS = 100;
/** What a run consumes of a table that did not ask for it: a table too large for that takes several nights. */
const MOST_UNITS = 4_000;
/** Parts for each worker: as many are read at once. */
const SEGMENTS_A_WORKER = 8;
/** Looking up copies and reverse items reads about as much again. */
const COPIES_FACTOR = 2;

/** Workers and their rate for a table of so many bytes. */
export function rateOf(tableBytes: number, graph: CompiledModel, { hours, workers, maxRcu }: PlanRequest) {
  const hasCopies = [...graph.edges.values()].some(({ copy }) => copy !== undefined);
  const units = (tableBytes / BYTES_A_UNIT) * (hasCopies ? COPIES_FACTOR : 1);
  const wanted = units / ((hours * HOUR_MS) / 1000) / USED_SHARE;
  const rcu = maxRcu > 0 ? maxRcu : Math.ceil(Math.min(MOST_UNITS, Math.max(FEWEST_UNITS, wanted)));
  return { rcu, workers: workers > 0 ? workers : Math.ceil(rcu / UNITS_A_WORKER) };
}

/**
 * Deals a run out to workers: what the run before has left, or else the whole table. What each worker has to do stands in the
 * table before any of them begins.
 */
export async function planRun(
  graph: CompiledModel,
  store: Store,
  request: PlanRequest,
  { tableBytes, nowMs }: { tableBytes: number; nowMs: number },
): Promise<RunPlan> {
  const { mode, hours, maxWcu, repair } = request;
  const rate = rateOf(tableBytes, graph, request);
  const places = await placesOf(graph, store, mode, rate.workers);
  return {
    shares: places.map(({ worker }) => ({
      mode,
      worker,
      repair,
      untilMs: nowMs + hours * HOUR_MS,
      maxRcu: rate.rcu / places.length,
      maxWcu: maxWcu / places.length,
    })),
  };
}

async function placesOf(graph: CompiledModel, store: Store, mode: RunMode, workers: number): Promise<SavedPlace[]> {
  const saved = await savedPlaces(store, mode);
  const fitting = saved.filter(({ model }) => model === graph.fingerprint);
  if (fitting.length > 0 && fitting.length === saved.length) return fitting;
  for (const { worker } of saved) await clearPlace(store, mode, worker);
  if (mode === 'check') await clearShares(graph.table, store);
  const segments = workers * SEGMENTS_A_WORKER;
  const places = Array.from({ length: workers }, (_, worker) => ({
    worker,
    segments,
    onlySegments: Array.from({ length: SEGMENTS_A_WORKER }, (_, i) => worker + i * workers),
    model: graph.fingerprint,
    cursor: null,
  }));
  for (const place of places) await savePlace(store, graph.table, mode, place);
  return places;
}
