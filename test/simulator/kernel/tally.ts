import type { SeedFailure, SeedOutcome } from './pack.ts';
import { type PackName, packOf } from './packs.ts';

/** A schedule that failed. */
export interface FailedSeed {
  seed: number;
  failures: readonly SeedFailure[];
}

/** What many schedules came to. */
export interface Tally {
  schedules: number;
  /** Schedules that failed, and the same by what they failed with; one may count more than once there. */
  failed: number;
  byKind: Record<string, number>;
  /** The first of them. */
  seeds: FailedSeed[];
  /** How often what happened. */
  counters: Record<string, number>;
}

/** Which schedules to run. */
export interface SeedRange {
  pack: PackName;
  /** The seed of the first; the others follow on. */
  first: number;
  count: number;
  /** Stop after so many failures. Default: do not. */
  mostFailures?: number;
}

const SEEDS_KEPT = 20;

/** A tally of nothing. */
export function emptyTally(): Tally {
  return { schedules: 0, failed: 0, byKind: {}, seeds: [], counters: {} };
}

/** Runs the schedules of consecutive seeds. `onSchedule` is told of each that is done. */
export async function runSeeds(
  { pack, first, count, mostFailures = Number.POSITIVE_INFINITY }: SeedRange,
  onSchedule: (done: number) => void = () => undefined,
): Promise<Tally> {
  const tally = emptyTally();
  const { run } = await packOf(pack);
  for (let i = 0; i < count && tally.failed < mostFailures; i++) {
    addOutcome(tally, first + i, await run(first + i));
    onSchedule(i + 1);
  }
  return tally;
}

/** Adds one tally to another. */
export function addTally(sum: Tally, part: Tally): void {
  sum.schedules += part.schedules;
  sum.failed += part.failed;
  addCounts(sum.byKind, part.byKind);
  addCounts(sum.counters, part.counters);
  sum.seeds = [...sum.seeds, ...part.seeds].slice(0, SEEDS_KEPT);
}

function addOutcome(tally: Tally, seed: number, { failures, counters }: SeedOutcome): void {
  tally.schedules += 1;
  addCounts(tally.counters, counters);
  if (failures.length === 0) return;
  tally.failed += 1;
  for (const kind of new Set(failures.map((failure) => failure.kind))) addCounts(tally.byKind, { [kind]: 1 });
  if (tally.seeds.length < SEEDS_KEPT) tally.seeds.push({ seed, failures: failures.slice(0, 5) });
}

function addCounts(sum: Record<string, number>, part: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(part)) sum[name] = (sum[name] ?? 0) + count;
}
