import { runCell } from './cells.ts';
import { FEATURES } from './features.ts';
import { OPERATIONS } from './operations/all.ts';
import { memoryRig } from './rig.ts';

/**
 * Runs one column of the matrix up to the first cell that fails, as a program of its own, so that a bug can be planted in it. Its
 * arguments are the column's name, and a number that says with which row it begins. The exit code is 1 where a cell fails.
 */

const [name, first = '0'] = process.argv.slice(2);
const operation = OPERATIONS.find((one) => one.name === name);
if (operation === undefined) throw new Error(`The matrix has no column ${name}.`);
const start = Number(first) % FEATURES.length;
for (const feature of [...FEATURES.slice(start), ...FEATURES.slice(0, start)]) {
  const outcome = await runCell(feature, operation, memoryRig);
  if (outcome.state !== 'failed') continue;
  console.log(`${feature.name}: ${outcome.problem}`);
  process.exitCode = 1;
  break;
}
