import { runSeed, seedHasCopies } from './schedule.ts';

/** What is wrong with a schedule. */
export interface SeedFailure {
  kind: string;
  message: string;
}

/** What became of the schedule of a seed. */
export interface SeedOutcome {
  /** Empty where all is well. */
  failures: readonly SeedFailure[];
  /** How often what happened. */
  counters: Readonly<Record<string, number>>;
}

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
  /** The seed of the first; the others follow on. */
  first: number;
  count: number;
  /** Leave out models without copies. Default: do not. */
  copiesOnly?: boolean | undefined;
  /** Stop after so many failures. Default: do not. */
  mostFailures?: number;
  /** What schedules are of: the projector's protocol, changes of the model, the observer, totals and parts, watched lists, or the attack on the observer. Default: the first. */
  world?: 'projector' | 'evolution' | 'observer' | 'ledgers' | 'watch' | 'verify' | undefined;
}

const SEEDS_KEPT = 20;

/** A tally of nothing. */
export function emptyTally(): Tally {
  return { schedules: 0, failed: 0, byKind: {}, seeds: [], counters: {} };
}

/** Runs the schedules of consecutive seeds. `onSchedule` is told of each that is done. */
export async function runSeeds(
  { first, count, copiesOnly = false, mostFailures = Number.POSITIVE_INFINITY, world }: SeedRange,
  onSchedule: (done: number) => void = () => undefined,
): Promise<Tally> {
  const tally = emptyTally();
  const run = await runOf(world);
  for (let i = 0; i < count && tally.failed < mostFailures; i++) {
    if (copiesOnly && !seedHasCopies(first + i)) continue;
    addOutcome(tally, first + i, await run(first + i));
    onSchedule(i + 1);
  }
  return tally;
}

async function runOf(world: SeedRange['world']): Promise<(seed: number) => Promise<SeedOutcome>> {
  if (world === 'evolution') return (await import('./evolution/schedule.ts')).runEvolution;
  if (world === 'observer') return (await import('./observer/schedule.ts')).runObserved;
  if (world === 'watch') return (await import('./watch/schedule.ts')).runWatched;
  if (world === 'verify') return (await import('./verify/schedule.ts')).runVerify;
  if (world === 'ledgers') return (await import('./ledgers/schedule.ts')).runLedgers;
  return runSeed;
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
