import type { SeedFailure } from '../tally.ts';
import { runEvolution } from './schedule.ts';

/** A schedule of model changes that is kept: a seed, and what of its schedule is left out. */
export interface KeptEvolution {
  seed: number;
  without: readonly string[];
}

/** A failing schedule from which nothing more can be left out. */
export interface ShortEvolution extends KeptEvolution {
  failures: readonly SeedFailure[];
  /** What is left of it, by name. */
  happened: string[];
  /** What happens in it, line by line. */
  trace: string[];
}

/**
 * Leaves out of a failing schedule what it does not need: half of it, then ever smaller parts. What is left fails as the whole did.
 * Throws where the seed's schedule does not fail.
 */
export async function shortened(seed: number): Promise<ShortEvolution> {
  const whole = await runEvolution(seed);
  const kinds = new Set(whole.failures.map(({ kind }) => kind));
  if (kinds.size === 0) throw new Error(`The schedule of seed ${seed} does not fail.`);
  let without: string[] = [];
  let left = whole.happened;
  for (let length = Math.ceil(left.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let from = 0; from < left.length; ) {
      const tried = [...without, ...left.slice(from, from + length)];
      const { failures, happened } = await runEvolution(seed, { without: tried });
      if (failures.some(({ kind }) => kinds.has(kind))) {
        without = tried;
        left = happened;
      } else from += length;
    }
  }
  const trace: string[] = [];
  const { failures, happened } = await runEvolution(seed, { without, log: (line) => trace.push(line) });
  return { seed, without, failures, happened, trace };
}

/** A shortened schedule as text: how to run it again, what is left of it and what happens in it. */
export function textOfShort({ seed, without, failures, happened, trace }: ShortEvolution): string {
  return [
    `The schedule of seed ${seed} fails (npm run simulate -- evolution --seed ${seed} --runs 1).`,
    `${without.length} parts of it can be left out. These are left: ${happened.join(', ')}.`,
    ...trace,
    ...failures.map(({ kind, message }) => `${kind}: ${message}`),
  ].join('\n');
}
