import { expect, it } from 'vitest';
import type { NetworkCost } from '../../../bench/friends/findings.ts';
import { LAYOUTS } from '../../../bench/friends/layouts/index.ts';
import { OPERATIONS } from '../../../bench/friends/layouts/layout.ts';
import { factorRows } from '../../../bench/friends/page.ts';

/** Each layout costs its place: 1 to 5 checks of time, and as many write units. */
const COSTS = LAYOUTS.flatMap(({ name: layout }, place) =>
  OPERATIONS.flatMap((operation) =>
    // Another network's costs are not taken.
    [10, 170].map((size) => ({
      ...{ layout, operation, size, rcu: 0, wcu: place + 1, bytes: 0 },
      time: size === 170 ? place + 1 : 1_000,
    })),
  ),
) as unknown as NetworkCost[];

const rows = factorRows(COSTS, 170);
const of = (claim: string) => rows.filter(([first]) => first?.startsWith(claim));

it('F18: the factor two is that of adding in 2 against 3, 4 and 5', () => {
  expect(of('adding')).toEqual([
    ['adding in 2 costs twice that in 3', 'add: count / col', '0.667 x', '0.667 x'],
    ['adding in 2 costs twice that in 4', 'add: count / row', '0.5 x', '0.5 x'],
    ['adding in 2 costs twice that in 5', 'add: count / hash', '0.4 x', '0.4 x'],
  ]);
});

it('F19: a removal in 2 is compared with one in 1', () => {
  expect(of('removing in 2')).toEqual([['removing in 2 is slower than in 1', 'remove: count / default', '2 x', '2 x']]);
});

it('F20: removals in 4 and 5 are compared with one in 3', () => {
  expect([...of('removing in 4'), ...of('removing in 5')].map(([claim, layouts]) => [claim, layouts])).toEqual([
    ['removing in 4 is slower than in 3', 'remove: row / col'],
    ['removing in 5 is slower than in 3', 'remove: hash / col'],
  ]);
});
