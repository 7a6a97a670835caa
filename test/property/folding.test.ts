import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeString, escapeValue } from '../../src/core/items/encoding.ts';
import { FOLDED, foldText } from '../../src/core/items/folding.ts';
import { indexSortKey } from '../support/derived-keys.ts';
import { runs } from '../support/extent.ts';
import { SIZES } from '../support/sizes.ts';
import { anyText, codePoints } from '../support/texts.ts';

const RUNS = { numRuns: runs(SIZES.folding) };

const fold = (text: string): string => foldText(text);

/** Code points that fold in an odd way: of several characters, only at the end of a word, with marks. */
const odd = fc.constantFrom(...'ΣσςßẞİıIiſSKÅǅŉǰΐᾳᾼΰﬁﬅᏸꭰ\u0345\u0301\u0316\u0323각ﷺⅣ㎞Ａe\u0000\u{10ffff}');
const text = fc.oneof(
  anyText,
  codePoints(0, 20),
  fc.array(odd, { maxLength: 8 }).map((parts) => parts.join('')),
);

/** Their upper case is that of `i`, but Unicode's case folding keeps the two letters apart. */
const DOTLESS = 'ı𝚤';
const upperCase = (text: string): string =>
  text.replace(new RegExp(`[^${DOTLESS}]+`, 'gu'), (others) => others.toUpperCase());

/** Surrogates, and code points without a character. */
const WITHOUT_CHARACTER = /[\p{Cs}\p{Cn}\p{Co}]/u;

/** Every character of Unicode. */
function* everyCharacter(): Generator<string> {
  for (let code = 0; code < 0x11_0000; code++) {
    const one = String.fromCodePoint(code);
    if (!WITHOUT_CHARACTER.test(one)) yield one;
  }
}

describe('folded texts', () => {
  it('are equal for each character of Unicode, its upper and lower case, and its normal forms', () => {
    const others: ((one: string) => string)[] = [
      upperCase,
      (one) => one.toLowerCase(),
      (one) => one.normalize('NFC'),
      (one) => one.normalize('NFKD'),
      fold,
    ];
    const wrong: string[] = [];
    for (const one of everyCharacter()) {
      const folded = fold(one);
      if (folded === '') wrong.push(one);
      for (const other of others) {
        const text = other(one);
        if (text !== one && fold(text) !== folded) wrong.push(one);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('are equal for no characters that Unicode keeps apart', () => {
    const mixed: string[] = [];
    for (const one of everyCharacter()) {
      const [folded, decomposed] = [fold(one), one.normalize('NFKD')];
      if (folded === decomposed) continue;
      const pattern = Array.from(folded, (codePoint) => `\\u{${codePoint.codePointAt(0)!.toString(16)}}`).join('');
      // With both flags, a regular expression compares by Unicode's simple case folding, which folds no letter to two.
      if (!new RegExp(`^${pattern}$`, 'iu').test(decomposed)) mixed.push(one);
    }
    expect(mixed).toEqual(['ß', 'ẞ']);
  });

  it('are equal for a text, its upper and lower case', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(fold(upperCase(given))).toBe(fold(given));
        expect(fold(given.toLowerCase())).toBe(fold(given));
        expect(fold(fold(given))).toBe(fold(given));
      }),
      RUNS,
    );
  });

  it('are the folds of their parts, one after the other', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(fold(left + right)).toBe(fold(left) + fold(right));
      }),
      RUNS,
    );
  });

  it('are in the index where each prefix finds them', () => {
    fc.assert(
      fc.property(text, (given) => {
        const key = indexSortKey(encodeString(given, FOLDED), 'USER-1');
        let prefix = '';
        for (const codePoint of [...given].slice(0, 30)) {
          prefix += codePoint;
          expect(key.startsWith(escapeValue(encodeString(prefix, FOLDED)))).toBe(true);
        }
      }),
      RUNS,
    );
  });
});
