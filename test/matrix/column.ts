import { runCell } from './cells.ts';
import { FEATURES } from './features.ts';
import { OPERATIONS } from './operations/all.ts';
import { memoryRig } from './rig.ts';

/** Runs a column of the matrix up to the first cell that fails; gives its row and its problem. Planted bugs are in this file's imports. */
export async function firstProblem(name: string): Promise<string | undefined> {
  const operation = OPERATIONS.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`The matrix has no column ${name}.`);
  for (const feature of FEATURES) {
    const outcome = await runCell(feature, operation, memoryRig);
    if (outcome.state === 'failed') return `${feature.name}: ${outcome.problem}`;
  }
  return undefined;
}
