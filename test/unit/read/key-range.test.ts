import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isEmptyRange,
  isInRange,
  prefixRange,
  rangeAfter,
  sendableRange,
  textAfterPrefix,
} from '../../../src/client/read/request/key-range.ts';
import { compareKeys } from '../../../src/core/items/encoding.ts';

/** Few characters, from every length of UTF-8 and from both sides of the surrogates: texts often share beginnings. */
const character = fc.constantFrom(
  '\u0000',
  'a',
  'b',
  '\u007f',
  '\u07ff',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '😀',
  '\u{10ffff}',
);
const text = fc.string({ unit: character, maxLength: 4 });
const end = fc.option(text, { nil: undefined });

describe('ranges of sort keys', () => {
  it('of a prefix hold exactly the texts that begin with it, and the text after them', () => {
    fc.assert(
      fc.property(text, text, (prefix, key) => {
        const expected = key.startsWith(prefix) || key === textAfterPrefix(prefix);
        expect(isInRange(prefixRange(prefix), key)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('have no text after the last of all', () => {
    expect(textAfterPrefix('\u{10ffff}\u{10ffff}')).toBeUndefined();
    expect(textAfterPrefix('')).toBeUndefined();
    expect(textAfterPrefix('a\u{10ffff}')).toBe('b');
    expect(textAfterPrefix('\ud7ff')).toBe('\ue000');
    expect(textAfterPrefix('\uffff')).toBe('\u{10000}');
  });

  it('go on after a key without that key ascending, and with nothing before it lost', () => {
    fc.assert(
      fc.property(end, end, text, text, fc.boolean(), (from, to, after, key, reverse) => {
        const rest = isInRange(rangeAfter({ from, to }, after, reverse), key);
        const isBeyond = reverse ? compareKeys(key, after) <= 0 : compareKeys(key, after) > 0;
        expect(rest).toBe(isBeyond && isInRange({ from, to }, key));
      }),
      { numRuns: 2_000 },
    );
  });

  it('are empty exactly when they hold no key', () => {
    expect(isEmptyRange({ from: 'b', to: 'a' })).toBe(true);
    expect(isEmptyRange({ from: 'a', to: 'a' })).toBe(false);
    expect(isEmptyRange({ from: 'a' })).toBe(false);
    expect(isEmptyRange({ from: '😀', to: '\uffff' })).toBe(true);
  });

  it('are sent with ends of at most 1,024 bytes, and lose no key by it', () => {
    const long = fc
      .tuple(fc.integer({ min: 1000, max: 1030 }), text, text)
      .map(([length, middle, tail]) => 'a'.repeat(length) + middle + tail);
    fc.assert(
      fc.property(long, long, long, (from, to, key) => {
        const sent = sendableRange({ from, to });
        expect(Buffer.byteLength(sent.from!)).toBeLessThanOrEqual(1024);
        expect(Buffer.byteLength(sent.to!)).toBeLessThanOrEqual(1024);
        expect(sent.exact).toBe(sent.from === from && sent.to === to);
        if (isInRange({ from, to }, key)) expect(isInRange(sent, key)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
