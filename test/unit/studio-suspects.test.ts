import { expect, it } from 'vitest';
import { Suspects } from '../../packages/studio/base/suspects.ts';
import type { Finding } from '../../src/trust/check/finding.ts';

const finding = (source: string, target: string, verdict: Finding['verdict'] = 'missing'): Finding => {
  return { source, target, verdict, expected: 'a', actual: null };
};
const nothing = { beganAtMs: 1_000, findings: [], isRepaired: () => false };

it('lists an item once, whatever the number of its parts, worst first', () => {
  const suspects = new Suspects();
  suspects.note({ ...nothing, judged: 'all', findings: [finding('GOAL-A', 'GOAL-A', 'quarantined')] });
  const parts = ['a', 'b', 'c', 'd'].map(() => ({ source: 'GOAL-A', target: '~view', why: 'drift', foundMs: 2_000 }));
  const entry = { source: 'GOAL-A', target: 'GOAL-A', why: 'wrong-type' };
  const { foundMs: _, ...view } = parts[0]!;
  expect(suspects.list(parts, [entry])).toEqual([view, entry]);
});

it('believes the newer of a check and the observer', () => {
  const suspects = new Suspects();
  const observed = { source: 'GOAL-A', target: '~view', why: 'drift', foundMs: 500 };
  expect(suspects.list([observed], [])).toHaveLength(1);
  suspects.note({ ...nothing, judged: ['GOAL-A'] });
  expect(suspects.list([observed], [])).toEqual([]);
  expect(suspects.list([{ ...observed, foundMs: 1_500 }], [])).toHaveLength(1);
});

it('forgets what a check has repaired, and keeps what other checks have found', () => {
  const suspects = new Suspects();
  const [first, second] = [finding('GOAL-A', '~view'), finding('GOAL-B', '~view')];
  suspects.note({ ...nothing, judged: 'all', findings: [first, second] });
  suspects.note({ ...nothing, judged: ['GOAL-A'], findings: [first], isRepaired: () => true });
  expect(suspects.list([], []).map(({ source }) => source)).toEqual(['GOAL-B']);
  // A sample judges what it finds alone, and a repair that was refused leaves its item.
  suspects.note({ ...nothing, judged: [], findings: [first] });
  expect(suspects.list([], []).map(({ source }) => source)).toEqual(['GOAL-B', 'GOAL-A']);
  suspects.note({ ...nothing, judged: 'all' });
  expect(suspects.list([], [])).toEqual([]);
});
