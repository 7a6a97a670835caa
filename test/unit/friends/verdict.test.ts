import { describe, expect, it } from 'vitest';
import type { Sample } from '../../../bench/friends/experiment.ts';
import { costsByNetwork, findGrowth, pointsOf } from '../../../bench/friends/findings.ts';
import { LAYOUTS } from '../../../bench/friends/layouts/index.ts';
import { OPERATIONS } from '../../../bench/friends/layouts/layout.ts';
import { fitText } from '../../../bench/friends/text.ts';
import { judge, verdictLines } from '../../../bench/friends/verdict.ts';

const flat = { milliseconds: 1, rcu: 0, wcu: 1, bytes: 90 };

/** 100 operations of every kind and layout; `cost` says what each costs. */
function samples(cost: (layout: string, operation: string, friends: number) => Partial<Sample>): Sample[] {
  return LAYOUTS.flatMap(({ name: layout }) =>
    OPERATIONS.flatMap((operation) =>
      Array.from({ length: 100 }, (_, friends) => ({
        layout,
        operation,
        size: friends < 50 ? 50 : 100,
        friends,
        ...flat,
        ...cost(layout, operation, friends),
      })),
    ),
  );
}

describe('the verdict', () => {
  const findings = findGrowth(
    samples((layout, operation, friends) => {
      if (layout === 'row' || layout === 'hash') return {};
      const wcu = 1 + friends;
      return layout === 'col' || (layout === 'count' && operation === 'add') ? { wcu } : { wcu, bytes: 50 * friends };
    }),
  );

  it('tells layouts that keep their O(1) from those that lose it', () => {
    const { constant, lost, billedOnly, gained } = judge(findings);
    expect(constant).toEqual(['row', 'hash']);
    expect(lost.map(({ layout, operation }) => `${layout} ${operation}`)).toEqual([
      'count add',
      'col add',
      'col check',
      'col remove',
    ]);
    expect(billedOnly).toEqual(lost);
    expect(gained).toEqual([]);
  });

  it('says so with the measured figures', () => {
    expect(verdictLines(findings, 99)[0]).toContain(
      'Units with no friend as with 99: `row` add 1, check 1, remove 1; `hash` add 1, check 1, remove 1.',
    );
    expect(verdictLines(findings, 99)[1]).toContain('`count` (add); `col` (add, check, remove)');
    expect(verdictLines(findings, 99)[1]).toContain('1 units (`count` add)');
    expect(verdictLines(findings, 99)).toHaveLength(3);
  });

  it('says where nothing keeps it, and where O(n) does not show', () => {
    const grown = findGrowth(samples((_layout, operation, friends) => (operation === 'add' ? { rcu: friends } : {})));
    expect(verdictLines(grown, 99)[0]).toBe('No layout keeps its O(1) for all three operations.');
    const short = findGrowth(samples(() => ({})));
    expect(verdictLines(short, 99).at(-1)).toContain(
      'not seen to grow over these lists: `default` (add, check, remove)',
    );
  });
});

describe('costsByNetwork', () => {
  it('gives means network by network, and the median of times as a multiple of a check in row', () => {
    const found = costsByNetwork(
      samples((layout, operation, friends) => {
        const isUnit = layout === 'row' && operation === 'check';
        return { milliseconds: isUnit ? 4 : friends ** 2, bytes: friends };
      }),
    );
    expect(found).toHaveLength(LAYOUTS.length * OPERATIONS.length * 2);
    expect(found[0]).toEqual({
      layout: 'default',
      operation: 'add',
      size: 50,
      operations: 50,
      friends: 24.5,
      time: (24 ** 2 + 25 ** 2) / 2 / 4,
      rcu: 0,
      wcu: 1,
      bytes: 24.5,
    });
  });
});

describe('pointsOf', () => {
  it('never makes two points of one number of friends', () => {
    const few = samples(() => ({})).map((sample) => ({ ...sample, friends: sample.friends % 3 }));
    expect(pointsOf(few, 'bytes').map(({ x }) => x)).toEqual([0, 1, 2]);
  });

  it('counts every measurement once', () => {
    const all = samples(() => ({}));
    expect(pointsOf(all, 'time').reduce((sum, { weight }) => sum + weight, 0)).toBe(all.length);
  });
});

it('a line is shown with its figures and its error', () => {
  const fit = { growth: 'O(n)', intercept: 1.6, slope: 0.0447, errorPercent: 8.61 } as const;
  expect(fitText({ ...fit, slopeError: 0, evidence: 9, risePercent: 90 })).toBe('O(n): 1.6 + 0.0447 n, ±8.6 %');
});
