import { describe, expect, inject, it } from 'vitest';
import { runCell } from '../matrix/cells.ts';
import { FEATURES } from '../matrix/features.ts';
import { OPERATIONS } from '../matrix/operations/all.ts';
import { tableRig } from '../matrix/table-rig.ts';
import { isOfRun, isWhole } from '../support/extent.ts';
import { DEALT } from '../support/sizes.ts';

/**
 * Cells of the matrix on the engine of the run; `test/property/matrix.test.ts` has all of them in memory. Each run has others: one of each
 * column, or all cells of a column in as many runs as there are features.
 */

/** Rows of each column in a whole run; a part of it has one of every sixth column. */
const ROWS = isWhole ? 3 : 1;
const COLUMNS = OPERATIONS.map((operation, column) => ({ name: operation.name, operation, column })).filter(
  ({ column }) => isOfRun(column, DEALT.engineColumns),
);

describe('features with operations, on the engine', () => {
  it.each(COLUMNS)('$name', async ({ operation, column }) => {
    for (let i = 0; i < ROWS; i++) {
      // Steps of a prime number: rows that follow on each other are much the same.
      const feature = FEATURES[(inject('seed') + 7 * column + 23 * i) % FEATURES.length]!;
      const outcome = await runCell(feature, operation, tableRig);
      const problem = outcome.state === 'failed' ? outcome.problem : undefined;
      expect({ feature: feature.name, problem }).toEqual({ feature: feature.name, problem: undefined });
    }
  });
});
