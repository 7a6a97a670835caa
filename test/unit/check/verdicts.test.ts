import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportJunit } from '../../../packages/cli/commands/trust/check-report.ts';
import {
  countOf,
  isClean,
  isDrift,
  noVerdicts,
  VERDICT_NAMES,
  VERDICTS,
  type Verdict,
} from '../../../src/core/verdicts.ts';
import { ROOT } from '../../support/command.ts';

const ONE = (verdict: Verdict) => {
  const counts = { ...noVerdicts(), repaired: 0 };
  if (isDrift(verdict)) counts.drift[verdict] = 1;
  else counts[verdict] = 1;
  return counts;
};
const ALL = { isUnexplained: true, isStrict: true };

/** When a verdict exits with 1, in the words of the page. */
const EXITS = {
  'unless-repaired': 'unless repaired',
  always: 'yes',
  'unless-explained': 'yes, unless the model is changing, or a consumer is behind by `--grace` or more',
  'with-strict': 'with `--strict`',
  never: 'no',
};

describe('the verdicts', () => {
  it('are in the table of the page on operations, worst first', () => {
    const page = readFileSync(join(ROOT, 'docs/how-to/operations.md'), 'utf8');
    const rows = VERDICT_NAMES.map((verdict) => {
      const { means, exitsWith1 } = VERDICTS[verdict];
      return `| \`${verdict}\` | ${means} | ${EXITS[exitsWith1]} |`;
    });
    expect(page).toContain(`| verdict | means | exit 1 |\n|---|---|---|\n${rows.join('\n')}\n\n`);
  });

  it.each(VERDICT_NAMES)('of an item that is %s fail a check, and its report, by the same rule', (verdict) => {
    const { exitsWith1 } = VERDICTS[verdict];
    expect(countOf(ONE(verdict), verdict)).toBe(1);
    expect(isClean(ONE(verdict))).toBe(exitsWith1 !== 'unless-repaired' && exitsWith1 !== 'always');
    expect(isClean(ONE(verdict), ALL)).toBe(exitsWith1 === 'never');
    expect(isClean({ ...ONE(verdict), repaired: 1 })).toBe(exitsWith1 !== 'always');
    const finding = { source: 'GOAL-1', target: '~view', verdict, expected: null, actual: null };
    const failures = exitsWith1 === 'never' ? 0 : 1;
    expect(reportJunit([finding], { ...ALL, isStopped: false })).toContain(`failures="${failures}"`);
  });
});
