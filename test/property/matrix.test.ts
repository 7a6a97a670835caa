import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bugOf, COLUMN_BUGS, MORE_BUGS, mutantOf } from '../matrix/bugs.ts';
import { type CellOutcome, runCell, runPairs } from '../matrix/cells.ts';
import { FEATURES, type Feature } from '../matrix/features.ts';
import { OPERATIONS } from '../matrix/operations/all.ts';
import { cellName, cellsOf, pageOf } from '../matrix/page.ts';
import { coveringModels } from '../matrix/pairs.ts';
import { memoryRig } from '../matrix/rig.ts';
import { ELSEWHERE, modelOptions, OPTIONS_ELSEWHERE, operations } from '../matrix/vocabulary.ts';
import { plantedModules } from '../simulator/planted/modules.ts';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { isOfRun, isPart } from '../support/extent.ts';
import { DEALT } from '../support/sizes.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/project/matrix.md', import.meta.url)), 'utf8');
const PAIRS = coveringModels();
function isCellOfRun(row: number, column: number): boolean {
  return isOfRun(row + 7 * column, DEALT.cells);
}

describe('the tables of the matrix', () => {
  it('have a row for each option of the model file, and no other options', () => {
    const shown = new Set(FEATURES.flatMap(({ options }) => options));
    expect([...shown, ...Object.keys(OPTIONS_ELSEWHERE)].sort()).toEqual(modelOptions().sort());
  });

  it('have a column for each command, method and function, or a sentence that says why not', () => {
    const covered = new Set([...OPERATIONS.flatMap(({ covers = [] }) => covers), ...Object.keys(ELSEWHERE)]);
    expect([...covered].sort()).toEqual(operations().sort());
  });

  it('give each row and each column a name of its own', () => {
    for (const names of [FEATURES, OPERATIONS].map((all) => all.map(({ name }) => name)))
      expect(new Set(names).size).toBe(names.length);
  });
});

describe('each feature with each operation', () => {
  const known = cellsOf(PAGE);
  const outcomes = new Map<string, CellOutcome>(known);

  it.each(OPERATIONS.map((operation, column) => ({ name: operation.name, operation, column })))(
    '$name is right with the features of this run',
    async ({ operation, column }) => {
      const problems: string[] = [];
      for (const [row, feature] of FEATURES.entries()) {
        if (!isCellOfRun(row, column)) continue;
        const outcome = await runCell(feature, operation, memoryRig);
        const name = cellName(feature, operation);
        outcomes.set(name, outcome);
        if (outcome.state === 'failed' && known.get(name)?.state !== 'failed')
          problems.push(`${name}: ${outcome.problem}`);
      }
      expect(problems).toEqual([]);
    },
  );

  it('are as docs/project/matrix.md says, which `npm run matrix` writes', () => {
    expect(pageOf(FEATURES, OPERATIONS, outcomes, PAIRS)).toBe(PAGE);
  });
});

describe('a bug that is planted for a column', () => {
  it('is there for each of them, and for no other', () => {
    expect(Object.keys(COLUMN_BUGS).sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
  });

  it.skipIf(isPart).each(OPERATIONS.filter((_, column) => isCellOfRun(0, column)))(
    'is found by the column: $name',
    async ({ name }) => await expectFound(name, bugOf(name)),
  );

  it.skipIf(isPart).each(MORE_BUGS.filter((_, place) => isOfRun(place, 1)))(
    'is found: $name',
    async ({ column, bug }) => await expectFound(column, mutantOf(column, bug)),
  );
});

/** Expects that a column finds a bug. */
async function expectFound(column: string, bug: Mutant): Promise<void> {
  const { firstProblem } = (await plantedModules.load(
    'test/matrix/column.ts',
    bug,
  )) as typeof import('../matrix/column.ts');
  expect(await firstProblem(column)).toMatch(/^.+: ./);
}

describe('models in which every two features meet', () => {
  it('have each pair of features that a model can have', () => {
    const met = new Set(PAIRS.models.flatMap((model) => pairsOf(model)));
    const excluded = new Set(PAIRS.excluded.map(({ pair }) => pairName(...pair)));
    for (const pair of pairsOf(FEATURES)) expect(met.has(pair) !== excluded.has(pair), pair).toBe(true);
    expect(met.size).toBe(PAIRS.covered);
  });

  it.each(PAIRS.models.map((model, number) => ({ number, model })))(
    'model $number is right under the operations of this run',
    async ({ number, model }) => {
      const problems: string[] = [];
      for (const [column, operation] of OPERATIONS.entries()) {
        if (!isOfPairRun(number, column)) continue;
        const outcome = await runPairs(model, operation, memoryRig);
        if (outcome.state === 'failed') problems.push(`${operation.name}: ${outcome.problem}`);
      }
      expect(problems).toEqual([]);
    },
  );
});

/** Of the operations on all models a quarter has one in sixteen: the rows have each operation on each feature. */
function isOfPairRun(model: number, column: number): boolean {
  const place = model * 5 + column;
  return isOfRun(place, DEALT.models) && isOfRun(Math.floor(place / DEALT.models), 3);
}

function pairName(left: Feature, right: Feature): string {
  return [left.name, right.name].sort().join(' + ');
}

function pairsOf(features: readonly Feature[]): string[] {
  return features.flatMap((left, i) => features.slice(i + 1).map((right) => pairName(left, right)));
}
