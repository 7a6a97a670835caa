import { readFileSync } from 'node:fs';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { Runner } from '../simulator/runner.ts';
import type { SeedRange } from '../simulator/tally.ts';

/** Seeds of schedules that showed a bug, by world and bug: the search begins with them. Only where the first of them is late. */
const SHOWN_AT = JSON.parse(
  readFileSync(new URL('../simulator/planted/shown-at.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, number>> | undefined>>;
/** A seed beyond this one is worth being kept. */
const LATE_SEED = 20;

/** How planted bugs of a world are searched for. */
export interface Search {
  world: NonNullable<SeedRange['world']>;
  /** A planted bug shows in one of this many schedules. */
  schedules: number;
  /** Failures that show a bug. A change that only makes the code throw or run on for ever shows nothing of its rule. */
  shownBy: readonly string[];
  /** Schedules between two looks at whether the bug was found. Default 50. */
  chunk?: number;
  /** Another way to find it, without a search: a schedule that is kept or written. Undefined: there is none. */
  known?: (runner: Runner, name: string) => Promise<boolean | undefined>;
}

/** Whether the schedules of a world show a planted bug. */
export async function isFound(mutant: Mutant, search: Search): Promise<boolean> {
  const runner = await Runner.start(mutant);
  try {
    return (await search.known?.(runner, mutant.name)) ?? (await isShown(runner, mutant.name, search));
  } finally {
    await runner.stop();
  }
}

async function isShown(
  runner: Runner,
  name: string,
  { world, schedules, shownBy, chunk = 50 }: Search,
): Promise<boolean> {
  const kept = SHOWN_AT[world]?.[name];
  const looks = kept === undefined ? [] : [{ first: kept, count: 1 }];
  for (let first = 1; first <= schedules; first += chunk) looks.push({ first, count: chunk });
  for (const look of looks) {
    const { seeds } = await runner.runSeeds({ ...look, mostFailures: 1, world });
    const shown = seeds.find(({ failures }) => failures.some(({ kind }) => shownBy.includes(kind)));
    if (shown === undefined) continue;
    const { seed } = shown;
    if (seed !== kept && (kept !== undefined || seed > LATE_SEED))
      console.log(`${name} shows at seed ${seed} of ${world}: test/simulator/planted/shown-at.json may keep it.`);
    return true;
  }
  return false;
}
