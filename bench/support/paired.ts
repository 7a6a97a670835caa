import type { Spread } from './statistics.ts';
import { spread } from './statistics.ts';

export interface Timing {
  seconds: number;
  /** User and system time of this process, including garbage collection. */
  cpuSeconds: number;
}

/** Measures only the client: the engine is another process. */
export async function timed(run: () => Promise<void> | void): Promise<Timing> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}

/** No repetition begins later, so a loaded machine makes fewer pairs. */
const BUDGET_SECONDS = 40;

/**
 * Runs the variants alternately, up to `repetitions` times within the budget, so that disturbances affect all of them.
 * The i-th results of all lists belong together. Warm-ups aren't measured, because the first runs also pay for
 * compilation.
 */
export async function interleaved<Name extends string, Result>(
  repetitions: number,
  variants: Readonly<Record<Name, () => Promise<Result>>>,
  { warmUps = 0, budgetSeconds = BUDGET_SECONDS }: { warmUps?: number; budgetSeconds?: number } = {},
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(variants) as Name[];
  for (let i = 0; i < warmUps; i++) for (const name of names) await variants[name]();
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  const start = performance.now();
  for (let repetition = 0; repetition < repetitions; repetition++) {
    if (performance.now() - start > budgetSeconds * 1000) break;
    // Variants take turns in going first, so that garbage from earlier runs affects all of them.
    const first = repetition % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) results[name].push(await variants[name]());
  }
  return results;
}

export function ratios(numerators: readonly number[], denominators: readonly number[]): Spread {
  return spread(numerators.map((numerator, i) => numerator / denominators[i]!));
}

export function cpuSecondsOf(runs: readonly Timing[], units = 1): number[] {
  return runs.map(({ cpuSeconds }) => cpuSeconds / units);
}

export function secondsOf(runs: readonly Timing[]): number[] {
  return runs.map(({ seconds }) => seconds);
}
