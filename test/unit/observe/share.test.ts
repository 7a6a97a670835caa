import { expect, it } from 'vitest';
import { isInShare } from '../../../src/trust/observe/index-sample.ts';

const numbers = Array.from({ length: 100_000 }, (_, i) => String(49_590_338_271_490_256n + BigInt(i)));
const taken = (share: number): number[] => numbers.flatMap((text, i) => (isInShare(text, share) ? [i] : []));

it.each([0.001, 0.01, 0.3])('takes about a share of %s of numbers that follow each other', (share) => {
  expect(taken(share).length / numbers.length / share).toBeGreaterThan(0.7);
  expect(taken(share).length / numbers.length / share).toBeLessThan(1.3);
});

it('takes records of each kind where kinds alternate', () => {
  const [even, odd] = [0, 1].map((rest) => taken(0.01).filter((i) => i % 2 === rest).length);
  expect(Math.min(even!, odd!) / Math.max(even!, odd!)).toBeGreaterThan(0.7);
});
