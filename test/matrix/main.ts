import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type CellOutcome, runCell } from './cells.ts';
import { FEATURES } from './features.ts';
import { OPERATIONS } from './operations/all.ts';
import { cellName, cellsOf, pageOf } from './page.ts';
import { coveringModels } from './pairs.ts';
import { memoryRig } from './rig.ts';

/** Runs cells of the matrix, `npm run matrix`. */

const USAGE = `Usage: npm run matrix -- [--row TEXT] [--column TEXT]

Runs the cells whose row and column contain the texts (default: all), prints what is wrong, and writes docs/matrix.md. The exit code is 1
where a cell fails.`;

const PAGE = fileURLToPath(new URL('../../docs/matrix.md', import.meta.url));
const { values } = parseArgs({
  options: { row: { type: 'string', default: '' }, column: { type: 'string', default: '' }, help: { type: 'boolean' } },
});

if (values.help) console.log(USAGE);
else await runCells(values.row, values.column);

async function runCells(row: string, column: string): Promise<void> {
  const isWhole = row === '' && column === '';
  const outcomes: Map<string, CellOutcome> = isWhole ? new Map() : cellsOf(readFileSync(PAGE, 'utf8'));
  let failed = 0;
  for (const operation of OPERATIONS.filter(({ name }) => name.includes(column))) {
    const startedMs = performance.now();
    for (const feature of FEATURES.filter(({ name }) => name.includes(row))) {
      const outcome = await runCell(feature, operation, memoryRig);
      const name = cellName(feature, operation);
      if (outcome.state === 'failed') {
        failed += 1;
        console.log(`${name}\n${outcome.problem}\n`);
      } else outcomes.set(name, outcome);
    }
    console.log(`${Math.round(performance.now() - startedMs)} ms ${operation.name}`);
  }
  if (failed > 0) process.exitCode = 1;
  writeFileSync(PAGE, pageOf(FEATURES, OPERATIONS, outcomes, coveringModels()));
}
