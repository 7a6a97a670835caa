import type { Spread } from './statistics.ts';
import { median, spread } from './statistics.ts';

/** What one run took. */
export interface Timing {
  /** Wall-clock seconds. */
  seconds: number;
  /** Seconds of CPU of this process: user and system, garbage collection included. */
  cpuSeconds: number;
}

/** Times one run. Only the client is counted: the engine is a process of its own. */
export async function timed(run: () => Promise<void> | void): Promise<Timing> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}

/** Seconds after which no further repetition begins: a loaded machine gives fewer pairs, not a later end. */
const BUDGET_SECONDS = 40;

/**
 * Runs variants in turn (A B C A B C ...), so that whatever else the machine does meets all of them alike: `repetitions`
 * times, or as often as the budget allows. Gives the results of each variant in the order of the repetitions: the i-th of
 * every list belong together.
 */
export async function interleaved<Name extends string, Result>(
  repetitions: number,
  variants: Readonly<Record<Name, () => Promise<Result>>>,
  budgetSeconds = BUDGET_SECONDS,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(variants) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  const start = performance.now();
  for (let repetition = 0; repetition < repetitions; repetition++) {
    if (performance.now() - start > budgetSeconds * 1000) break;
    // Each begins in its turn: what the one before has left to the garbage collector meets all of them alike, too.
    const first = repetition % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) results[name].push(await variants[name]());
  }
  return results;
}

/** The spread of the ratios of runs that belong together: a number over its partner, for each pair. */
export function ratios(numerators: readonly number[], denominators: readonly number[]): Spread {
  return spread(numerators.map((numerator, i) => numerator / denominators[i]!));
}

/**
 * Each `turns` runs as one: the one in their middle. A run of some milliseconds meets the garbage collector or another process, or does
 * not, so the ratio of two alone says little. A last group that is not whole is left out.
 */
export function middleOf(runs: readonly Timing[], turns: number): Timing[] {
  return Array.from({ length: Math.floor(runs.length / turns) }, (_, group) => {
    const together = runs.slice(group * turns, (group + 1) * turns);
    const middle = (of: (run: Timing) => number): number => median(together.map(of));
    return { seconds: middle(({ seconds }) => seconds), cpuSeconds: middle(({ cpuSeconds }) => cpuSeconds) };
  });
}
