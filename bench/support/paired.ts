import type { Spread } from './statistics.ts';
import { median, spread } from './statistics.ts';

export interface Timing {
  seconds: number;
  /** User and system, with garbage collection, of this process. */
  cpuSeconds: number;
}

/** Only the client: the engine is another process. */
export async function timed(run: () => Promise<void> | void): Promise<Timing> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}

/** No repetition begins later: a loaded machine gives fewer pairs. */
const BUDGET_SECONDS = 40;

/**
 * Runs variants in turn, `repetitions` times or as the budget allows, so that disturbances meet all alike. The i-th results of all lists belong
 * together.
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
    // Each begins in turn, so that garbage left behind meets all alike.
    const first = repetition % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) results[name].push(await variants[name]());
  }
  return results;
}

/** Spread of the paired ratios. */
export function ratios(numerators: readonly number[], denominators: readonly number[]): Spread {
  return spread(numerators.map((numerator, i) => numerator / denominators[i]!));
}

/** The middle run of each `turns` runs: short ones meet the garbage collector or not. Drops an incomplete last group. */
export function middleOf(runs: readonly Timing[], turns: number): Timing[] {
  return Array.from({ length: Math.floor(runs.length / turns) }, (_, group) => {
    const together = runs.slice(group * turns, (group + 1) * turns);
    const middle = (of: (run: Timing) => number): number => median(together.map(of));
    return { seconds: middle(({ seconds }) => seconds), cpuSeconds: middle(({ cpuSeconds }) => cpuSeconds) };
  });
}
