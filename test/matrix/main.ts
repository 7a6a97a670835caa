import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ENGINES, type EngineName, startEngine } from '../../packages/local/engine/engine.ts';
import { type CellOutcome, type RigOf, runCell } from './cells.ts';
import { FEATURES } from './features.ts';
import { OPERATIONS } from './operations/all.ts';
import type { Operation } from './operations/operation.ts';
import { cellName, cellsOf, pageOf } from './page.ts';
import { coveringModels } from './pairs.ts';
import { memoryRig } from './rig.ts';
import { tableRig } from './table-rig.ts';

/** Runs cells of the matrix, `npm run matrix`. */

const USAGE = `Usage: npm run matrix -- [--row TEXT] [--column TEXT] [--engine NAME]

Runs the cells whose row and column contain the texts (default: all), prints what is wrong, and writes docs/project/matrix.md; with --engine
(${ENGINES.join(', ')}) they run on tables of that engine, and the page stays as it is. The exit code is 1 where a cell fails.`;

const PAGE = fileURLToPath(new URL('../../docs/project/matrix.md', import.meta.url));
const TEXT = { type: 'string', default: '' } as const;
const { values } = parseArgs({
  options: { row: TEXT, column: TEXT, engine: { type: 'string' }, help: { type: 'boolean' } },
});
const features = FEATURES.filter(({ name }) => name.includes(values.row));
const operations = OPERATIONS.filter(({ name }) => name.includes(values.column));
const isWhole = features.length === FEATURES.length && operations.length === OPERATIONS.length;

if (values.help) console.log(USAGE);
else if (values.engine === undefined) await runInMemory();
else if (!ENGINES.includes(values.engine as EngineName)) throw new Error(`No engine has the name ${values.engine}.`);
else for (const operation of operations) await runOnEngine(operation, values.engine as EngineName);

async function runInMemory(): Promise<void> {
  const outcomes: Map<string, CellOutcome> = isWhole ? new Map() : cellsOf(readFileSync(PAGE, 'utf8'));
  for (const operation of operations)
    for (const [name, outcome] of await runColumn(operation, memoryRig))
      if (outcome.state !== 'failed') outcomes.set(name, outcome);
  writeFileSync(PAGE, pageOf(FEATURES, OPERATIONS, outcomes, coveringModels()));
}

/** Runs a column on an engine of its own: DynamoDB Local gets slower with every table that it ever had. */
async function runOnEngine(operation: Operation, engine: EngineName): Promise<void> {
  const { endpoint, stop } = await startEngine({ engine });
  process.env['EDGELOOM_TEST_ENDPOINT'] = endpoint;
  await runColumn(operation, tableRig).finally(stop);
}

/** Runs the cells of a column; the exit code tells whether one fails. */
async function runColumn(operation: Operation, rigOf: RigOf): Promise<Map<string, CellOutcome>> {
  const outcomes = new Map<string, CellOutcome>();
  const startedMs = performance.now();
  for (const feature of features) {
    const outcome = await runCell(feature, operation, rigOf);
    const name = cellName(feature, operation);
    outcomes.set(name, outcome);
    if (outcome.state !== 'failed') continue;
    console.log(`${name}\n${outcome.problem}\n`);
    process.exitCode = 1;
  }
  console.log(`${Math.round(performance.now() - startedMs)} ms ${operation.name}`);
  return outcomes;
}
