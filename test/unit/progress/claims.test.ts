import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  appliedCount,
  type Claim,
  claimOf,
  claimsText,
  coverageOf,
  parseClaims,
} from '../../../src/stream/progress/claims.ts';

const records = (...numbers: number[]) => numbers.map((number) => ({ sequenceNumber: String(number) }));
const claim = (first: number, last: number, count: number): Claim => ({
  first: String(first),
  last: String(last),
  records: count,
});

describe('what claims cover', () => {
  it('is nothing by a claim of which the first records are gone, unless its consumer reads the shard alone', () => {
    const open = records(5, 6, 7);
    const before = claim(3, 6, 3);
    expect(appliedCount(coverageOf(open, [before]), open)).toBe(0);
    expect(appliedCount(coverageOf(open, [{ ...before, isWhole: true }]), open)).toBe(2);
    // Another shard's.
    expect(appliedCount(coverageOf(open, [{ ...claim(1, 9, 3), isWhole: true }]), open)).toBe(0);
  });

  it('is the same where an engine puts zeros before its numbers, which the text of claims does not keep', () => {
    const open = ['000000000000000000007', '000000000000000000008'].map((sequenceNumber) => ({ sequenceNumber }));
    const [made] = parseClaims(claimsText(claimOf(open)));
    expect(made).toEqual({ first: '7', last: '8', records: 2 });
    expect(appliedCount(coverageOf(open, [made!]), open)).toBe(2);
  });

  it('is written in a text that gives the same claims, three dozen of real numbers in a kilobyte, with their key', () => {
    const number = fc.bigInt({ min: 0n, max: 10n ** 56n - 1n });
    const one = fc
      .tuple(number, fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.nat({ max: 100_000 }), fc.boolean())
      .map(([first, span, count, isWhole]) => ({
        ...{ first: String(first), last: String(first + span), records: count },
        ...(isWhole && { isWhole }),
      }));
    fc.assert(
      fc.property(fc.array(one), (claims) => {
        expect(parseClaims(claimsText(claims))).toEqual(claims);
      }),
    );
    const first = 300_000_000_000_000_499_659n;
    const dozens = Array.from({ length: 36 }, (_, i) => {
      const start = first + BigInt(i) * 1_000_000n;
      return { first: `${start}`, last: `${start + 812_345n}`, records: 1_000 };
    });
    expect(claimsText(dozens).length).toBeLessThan(1024 - 150);
  });

  it('reads nothing out of what is no claim', () => {
    expect(parseClaims('')).toEqual([]);
    expect(parseClaims('x y.z 1.2.3.4 A.1.1 1.2.-3 1.1.1')).toEqual([{ first: '1', last: '2', records: 1 }]);
  });
});
