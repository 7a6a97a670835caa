import { plantedModules } from '../simulator/planted/modules.ts';
import type { Mutant } from '../simulator/planted/mutant.ts';
import type { KINDS } from './run.ts';

/** Whether schedules from the first seed on show a bug that is planted in the code. */
export async function isShown(mutant: Mutant, kind: keyof typeof KINDS, runs: number): Promise<boolean> {
  const planted = (await plantedModules.load('test/schedules/run.ts', mutant)) as typeof import('./run.ts');
  return (await planted.runSchedules(kind, { runs, failures: 1 })).failed > 0;
}
