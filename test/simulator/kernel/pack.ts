import type { Script } from './choices.ts';

/** What is wrong with a schedule. */
export interface SeedFailure {
  kind: string;
  message: string;
}

/** What became of a schedule. */
export interface SeedOutcome {
  /** Empty where all is well. */
  failures: readonly SeedFailure[];
  /** How often what happened. */
  counters: Readonly<Record<string, number>>;
}

/** A schedule that is kept: the choices that are not dull, or a seed without the parts that it can do without. */
export interface Kept {
  /** The seed it was found with, as the simulator was then; 0 where it was made by hand. */
  seed: number;
  script?: Script;
  without?: readonly string[];
}

/** A failing schedule from which nothing more can be left out. */
export interface Short {
  kept: Kept;
  failures: readonly SeedFailure[];
  /** The names of the parts that are left. */
  left: readonly string[];
  /** Tells line by line how it goes. */
  trace: readonly string[];
}

/** Runs a kept schedule; `trace` is told line by line how it goes. */
export type Play = (kept: Kept, trace?: (line: string) => void) => Promise<SeedOutcome>;

/** A pack of schedules: how they are run. A planted bug is planted in what its file imports. */
export interface Pack {
  /** Runs the schedule of a seed. */
  run: (seed: number) => Promise<SeedOutcome>;
  play?: Play;
  /** Shortens the failing schedule of a seed. Rejects where it does not fail: then something is not decided by the seed. */
  shorten?: (seed: number) => Promise<Short>;
  /** Plays the schedules that are written down, or the one of a name; gives what is wrong. */
  written?: (name?: string) => Promise<readonly SeedFailure[]>;
}

/** A pack whose schedules say what is wrong by texts alone. */
export function packOfTexts(run: (seed: number) => Promise<readonly string[]>): Pack {
  return { run: async (seed) => ({ failures: asFailures(await run(seed)), counters: {} }) };
}

/** Texts as failures. */
export function asFailures(texts: readonly string[]): SeedFailure[] {
  return texts.map((message) => ({ kind: 'wrong', message }));
}

/** Plays schedules that are written down, by what happens in them, up to the first that ends wrong; gives what is wrong. */
export async function playAll(
  schedules: Readonly<Record<string, () => Promise<readonly string[]>>>,
): Promise<SeedFailure[]> {
  const wrong: string[] = [];
  for (const [name, play] of Object.entries(schedules)) {
    const texts = await play().catch((error: unknown) => [`threw: ${String(error)}`]);
    wrong.push(...texts.map((text) => `${name}: ${text}`));
    if (texts.some((text) => !text.startsWith('threw: '))) break;
  }
  return asFailures(wrong);
}
