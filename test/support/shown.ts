import type { Mutant } from '../simulator/planted/mutant.ts';
import { SHOWN_AT, SHOWN_BY } from '../simulator/planted/shown.ts';
import { Runner } from '../simulator/runner.ts';
import type { SeedRange } from '../simulator/tally.ts';

/** A seed beyond this one is worth being kept. */
const LATE_SEED = 20;

/** How planted bugs of a world are searched for. */
export interface Search {
  world: NonNullable<SeedRange['world']>;
  /** A planted bug shows in one of this many schedules. */
  schedules: number;
  /** Schedules between two looks at whether the bug was found. Default 50. */
  chunk?: number;
  /** Whether a schedule that is written down shows it. Absent: there are none. */
  isWritten?: (runner: Runner) => Promise<boolean>;
}

/** Whether the schedules of a world show a planted bug. */
export async function isFound(mutant: Mutant, { world, schedules, chunk = 50, isWritten }: Search): Promise<boolean> {
  const { name } = mutant;
  const runner = await Runner.load(mutant);
  const kept = SHOWN_AT[world]?.[name];
  if (kept === undefined && (await isWritten?.(runner))) return true;
  const looks = kept === undefined ? [] : [{ first: kept, count: 1 }];
  for (let first = 1; first <= schedules; first += chunk) looks.push({ first, count: chunk });
  for (const look of looks) {
    const { seeds } = await runner.runSeeds({ ...look, mostFailures: 1, world });
    const shown = seeds.find(({ failures }) => failures.some(({ kind }) => SHOWN_BY[world].includes(kind)));
    if (shown === undefined) continue;
    const { seed } = shown;
    if (seed !== kept && (kept !== undefined || seed > LATE_SEED))
      console.log(`${name} shows at seed ${seed} of ${world}: test/simulator/planted/shown-at.json may keep it.`);
    return true;
  }
  return false;
}
