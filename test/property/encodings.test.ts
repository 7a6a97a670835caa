import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeDate } from '../../src/core/items/dates.ts';
import {
  AS_WRITTEN,
  compareKeys,
  encodeNumber,
  encodePath,
  escapeValue,
  highestSortKeyOfValue,
  isWellFormed,
  LAST_SORT_KEY,
  lowestSortKeyOfValue,
  TARGET_SORT_KEY,
} from '../../src/core/items/encoding.ts';
import { asText, type Decimal, decimal, number } from '../support/decimals.ts';
import { indexSortKey } from '../support/derived-keys.ts';
import { runs } from '../support/extent.ts';
import { SIZES } from '../support/sizes.ts';
import { anyText } from '../support/texts.ts';

const RUNS = { numRuns: runs(SIZES.encodings) };

/** The order of a pair: -1, 0 or 1. */
const sign = (difference: number | bigint): number => (difference < 0 ? -1 : difference > 0 ? 1 : 0);

function exact({ negative, digits, scale }: Decimal): bigint {
  const magnitude = BigInt(digits) * 10n ** BigInt(scale + 200);
  return negative ? -magnitude : magnitude;
}

describe('encodings keep order', () => {
  it('of numbers, over the whole range and in any notation', () => {
    const notation = fc.integer({ min: 0, max: 2 });
    fc.assert(
      fc.property(number, number, notation, notation, (left, right, one, other) => {
        const order = compareKeys(encodeNumber(asText(left, one)), encodeNumber(asText(right, other)));
        expect(sign(order)).toBe(sign(exact(left) - exact(right)));
      }),
      RUNS,
    );
  });

  it('of numbers that differ only in their last digits', () => {
    fc.assert(
      fc.property(decimal, fc.integer({ min: -9, max: 9 }), (left, difference) => {
        const sum = BigInt(left.digits) + BigInt(difference);
        fc.pre(sum > 0n && sum.toString().length <= 38 && sum.toString().length + left.scale <= 126);
        const right = { ...left, digits: sum.toString() };
        const order = compareKeys(encodeNumber(asText(left, 0)), encodeNumber(asText(right, 0)));
        expect(sign(order)).toBe(sign(exact(left) - exact(right)));
      }),
      RUNS,
    );
  });

  it('of dates: instants with any offset, at any precision', () => {
    const instant = fc.record({
      seconds: fc.integer({ min: -62_135_424_000, max: Date.UTC(9999, 11, 30) / 1000 }),
      nanoseconds: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999_999 })),
      offsetMinutes: fc.integer({ min: -14 * 60, max: 14 * 60 }),
    });
    type Instant = typeof instant extends fc.Arbitrary<infer T> ? T : never;
    const text = ({ seconds, nanoseconds, offsetMinutes }: Instant): string => {
      const local = new Date((seconds + offsetMinutes * 60) * 1000).toISOString().slice(0, 19);
      const fraction = nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0')}`;
      const minutes = Math.abs(offsetMinutes);
      const clock = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
      return `${local}${fraction}${offsetMinutes < 0 ? '-' : '+'}${clock}`;
    };
    fc.assert(
      fc.property(instant, instant, fc.boolean(), (left, other, near) => {
        const right = near ? { ...other, seconds: left.seconds } : other;
        const difference = left.seconds - right.seconds || left.nanoseconds - right.nanoseconds;
        expect(sign(compareKeys(encodeDate(text(left)), encodeDate(text(right))))).toBe(sign(difference));
      }),
      RUNS,
    );
  });

  it('of texts: compareKeys is the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.nat({ max: 8 }), (left, tail, shared) => {
        const right = left.slice(0, shared) + tail;
        fc.pre(isWellFormed(right));
        expect(sign(compareKeys(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
      RUNS,
    );
  });

  const value = fc.oneof(
    anyText,
    fc
      .array(fc.constantFrom('a', '\u0000', '~', '[', 'Z', '\u0001', '\u{10ffff}'), { maxLength: 5 })
      .map((parts) => parts.join('')),
  );
  const source = fc.constantFrom('A-1', 'GOAL-\u0000', 'Z9_-~', 'USER-\u{10FFFF}');

  it('of sort keys: by value first, then by source, also with a NUL in a value', () => {
    fc.assert(
      fc.property(value, source, value, source, (left, leftSource, right, rightSource) => {
        const order = compareKeys(indexSortKey(left, leftSource), indexSortKey(right, rightSource));
        expect(sign(order)).toBe(sign(compareKeys(left, right) || compareKeys(leftSource, rightSource)));
      }),
      RUNS,
    );
  });

  it('of paths: segment by segment, a path before those that go on from it, and before all of them by source', () => {
    const path = fc.array(value, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(path, source, path, source, fc.nat({ max: 2 }), (left, leftSource, other, rightSource, shared) => {
        const right = [...left.slice(0, shared), ...other.slice(Math.min(shared, left.length))];
        fc.pre(right.length > 0);
        const length = Math.max(left.length, right.length);
        let expected = 0;
        for (let i = 0; i < length && expected === 0; i++) {
          const [one, two] = [left[i], right[i]];
          expected = one === undefined ? -1 : two === undefined ? 1 : sign(compareKeys(one, two));
        }
        const keyOf = (segments: string[], of: string) => indexSortKey(encodePath(segments, AS_WRITTEN), of);
        const order = compareKeys(keyOf(left, leftSource), keyOf(right, rightSource));
        expect(sign(order)).toBe(expected || sign(compareKeys(leftSource, rightSource)));
      }),
      RUNS,
    );
  });

  it('of paths: one begins with another exactly where its segments do', () => {
    const path = fc.array(value, { maxLength: 3 });
    fc.assert(
      fc.property(path, path, source, (whole, start, from) => {
        const key = indexSortKey(encodePath(whole, AS_WRITTEN), from);
        const begins = start.length <= whole.length && start.every((segment, i) => segment === whole[i]);
        expect(key.startsWith(escapeValue(encodePath(start, AS_WRITTEN)))).toBe(begins);
        for (let levels = 0; levels <= whole.length; levels++) {
          expect(key.startsWith(escapeValue(encodePath(whole.slice(0, levels), AS_WRITTEN)))).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('of sort keys: none reaches the end of the edges, behind which their owner is, whatever text it is of', () => {
    const highest = fc.array(fc.constantFrom('\u{10ffff}', '\u0000', '\u0001', '\u0002', '~', 'a'), { maxLength: 6 });
    fc.assert(
      fc.property(
        fc.oneof(
          value,
          highest.map((parts) => parts.join('')),
        ),
        source,
        (given, from) => {
          expect(compareKeys(indexSortKey(given, from), LAST_SORT_KEY)).toBeLessThan(0);
          expect(compareKeys(highestSortKeyOfValue(given), LAST_SORT_KEY)).toBeLessThan(0);
          expect(compareKeys(LAST_SORT_KEY, TARGET_SORT_KEY)).toBeLessThan(0);
        },
      ),
      RUNS,
    );
  });

  it('of sort keys: the bounds of a value hold its items and no others', () => {
    fc.assert(
      fc.property(value, value, source, (expected, given, from) => {
        const key = indexSortKey(given, from);
        const within =
          compareKeys(key, lowestSortKeyOfValue(expected)) >= 0 &&
          compareKeys(key, highestSortKeyOfValue(expected)) <= 0;
        expect(within).toBe(given === expected);
      }),
      RUNS,
    );
  });
});
