import { expect } from 'vitest';
import type { PackName } from '../simulator/kernel/packs.ts';
import { Runner } from '../simulator/kernel/runner.ts';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { keepSeed, SHOWN_AT, SHOWN_BY } from '../simulator/planted/shown.ts';

/** A seed beyond this one is worth being kept; each is where schedules that are written down, which take seconds, don't show the bug. */
const LATE_SEED = 3;

/** How planted bugs of a pack are searched for. */
export interface Search {
  pack: PackName;
  /** A planted bug shows in one of this many schedules. */
  schedules: number;
  /** Schedules between two looks at whether the bug was found. Default 50. */
  chunk?: number;
  /** Whether schedules that are written down may show it. Default: there are none. */
  hasWritten?: boolean;
}

/** Whether the schedules of a pack show a planted bug. */
export async function isFound(
  mutant: Mutant,
  { pack, schedules, chunk = 50, hasWritten = false }: Search,
): Promise<boolean> {
  const { name } = mutant;
  const runner = await Runner.load(mutant);
  const kept = SHOWN_AT[pack]?.[name];
  if (kept === undefined && hasWritten && (await showsWritten(runner, pack))) return true;
  const looks = kept === undefined ? [] : [{ first: kept, count: 1 }];
  for (let first = 1; first <= schedules; first += chunk) looks.push({ first, count: chunk });
  for (const look of looks) {
    const { seeds } = await runner.runSeeds({ ...look, mostFailures: 1, pack });
    const shown = seeds.find(({ failures }) => failures.some(({ kind }) => SHOWN_BY[pack].includes(kind)));
    if (shown === undefined) continue;
    const { seed } = shown;
    if (seed !== kept && (kept !== undefined || hasWritten || seed > LATE_SEED)) tellOf(pack, name, seed);
    return true;
  }
  return false;
}

/** Keeps a late seed where the run is asked to, or says how that is done. */
function tellOf(pack: PackName, name: string, seed: number): void {
  if (process.env['EDGELOOM_TEST_KEEP_SEEDS'] === '1') {
    keepSeed(pack, name, seed);
    return;
  }
  const file = expect.getState().testPath?.replace(/^.*\/test\//, 'test/');
  console.log(
    `${name} shows at seed ${seed} of ${pack}. This keeps it: EDGELOOM_TEST_KEEP_SEEDS=1 EDGELOOM_TEST_EXTENT=all npx vitest run ${file} -t ${name}`,
  );
}

/** Whether a schedule that is written down shows a bug. An error that is thrown says nothing of its rule. */
async function showsWritten(runner: Runner, pack: PackName): Promise<boolean> {
  return (await runner.playWritten(pack)).some(({ message }) => !message.includes(': threw: '));
}
