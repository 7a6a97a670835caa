import { describe, expect, it } from 'vitest';
import { parseDecimal } from '../../src/core/items/attribute-value.ts';
import { encodeDate, MAX_DATE_CHARACTERS } from '../../src/core/items/dates.ts';
import { AS_WRITTEN, encodeString } from '../../src/core/items/encoding.ts';
import { FOLDED, MAX_FOLDED_CHARACTERS } from '../../src/core/items/folding.ts';
import { sources } from '../support/sources.ts';

/**
 * Regular expressions take time that grows with the square of a text, or worse, where a repetition can begin at every place
 * of the text, or where one repetition gives up characters to the next. So by construction none of ours can: a repetition
 * without end stands in an expression that begins at `^`, and there is one of them.
 */

/** Other expressions, each with what bounds the texts that it sees, or why it takes few steps all the same. */
const BOUNDED: ReadonlyMap<string, string> = new Map([
  [String.raw`^\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?\s*$`, 'MOST_NUMBER_CHARACTERS in parseDecimal'],
  ['^0+', 'MOST_NUMBER_CHARACTERS in parseDecimal'],
  ['0+$', 'MOST_NUMBER_CHARACTERS in parseDecimal'],
  [String.raw`^(~[a-z]+\/)@([1-9]\d{0,8})\/(.*)$`, 'sort keys; what one repetition takes ends at the next'],
  [
    String.raw`^([A-Z][A-Z0-9_]*)\.([^@#]*)(?:@([1-9]\d{0,8}))?(?:#|$)`,
    'partition keys; each repetition ends at what it cannot take',
  ],
  [
    String.raw`^([a-z][A-Za-z0-9_]*)(?:@([1-9]\d{0,8}))?\/([A-Z][A-Z0-9_]*)-`,
    'partition keys; each repetition ends at what it cannot take',
  ],
  [
    String.raw`^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request,`,
    'a header that the SDK made; each repetition ends at a slash, which it cannot take',
  ],
  [String.raw`\$\{([^{}]+)\}`, 'what the repetition takes ends where another one begins'],
  [String.raw`^([A-Z][A-Z0-9_]*)\.(.+)$`, 'options of the model file; the first repetition ends at the point'],
  [String.raw`"(?:BS?|__proto__)"\s*:`, 'the spaces behind one quoted name are no beginning of another'],
  [String.raw`\.|\[\d+\]$`, 'the digits behind one bracket are no beginning of another'],
  [
    String.raw`\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|(\w+)|([?{}:,=]))`,
    'sticky: it begins where the last token ended; DynamoDB takes statements of 8,192 characters',
  ],
  ['"(.*?)"', 'numbers of one set; what the repetition takes ends at the next quote'],
  [String.raw`^(-?)(\d*)e(-?\d+)$`, 'a number of 38 digits at most; the first repetition ends at the e'],
  [
    String.raw`([\0-\x08\x0b-\x1f\x7f\u{10ffff}]+)`,
    'a run that ends at what it cannot take, and a split begins behind it',
  ],
]);
/** Files that put expressions together from texts, each with what bounds the work. */
const ASSEMBLED: ReadonlyMap<string, string> = new Map([
  [
    'packages/studio/page/base/canonical.ts',
    'sticky: a match begins where the last one ended, and each repetition ends at what it cannot take',
  ],
]);
/** What their expressions see are arguments of a command and parameters of a stack: those of the operator. */
const OPERATORS = /^(packages\/(cli|workbench)|deployment\/stack)\//;

/** The regular expressions of a source: what stands between slashes where an expression may begin. */
function expressionsOf(code: string): string[] {
  const literal =
    /(?:[=(,:?!&|[]|\breturn|=>)\s*\/((?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/[dgimsuvy]*(?=[\s.,;)\]])/g;
  return [...code.matchAll(literal)].map(([, expression]) => expression!);
}

/** Repetitions without end, outside of classes. */
function endlessRepetitions(expression: string): number {
  const bare = expression.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x');
  return [...bare.matchAll(/[*+]|\{\d+,\}/g)].length;
}

const found = sources()
  .filter(({ path }) => !OPERATORS.test(path))
  .flatMap(({ path, code }) => expressionsOf(code).map((expression) => ({ path, expression })));

describe('regular expressions of the sources', () => {
  it('are found', () => {
    expect(found.length).toBeGreaterThan(25);
    const texts = found.map(({ expression }) => expression);
    for (const expression of BOUNDED.keys()) expect(texts).toContain(expression);
    for (const { expression } of found) expect(() => new RegExp(expression, 'u')).not.toThrow();
  });

  it('look at each character a bounded number of times, or see texts of bounded length only', () => {
    const slow = found.filter(({ expression }) => {
      const count = endlessRepetitions(expression);
      return count > 1 || (count === 1 && !expression.startsWith('^'));
    });
    expect(slow.filter(({ expression }) => !BOUNDED.has(expression))).toEqual([]);
  });

  it('are literals, except in files that say what bounds them', () => {
    const assembling = sources().filter(({ path, code }) => !OPERATORS.test(path) && code.includes('new RegExp('));
    expect(assembling.map(({ path }) => path)).toEqual([...ASSEMBLED.keys()]);
  });
});

describe('a text that is longer than any that is expected', () => {
  const bytes = 400_000;
  it.each([
    ['zeros', '0'.repeat(bytes)],
    ['zeros and a digit', `${'0'.repeat(bytes)}1`],
    ['digits that end in what is none', `${'7'.repeat(bytes)}x`],
  ])('is refused as a date before any expression sees it: %s', (_name, fraction) => {
    const text = `2020-07-01T00:00:00.${fraction}Z`;
    expect(() => encodeDate(text)).toThrow(`may have ${MAX_DATE_CHARACTERS}`);
    expect(expressionsSeeing(() => expect(() => encodeDate(text)).toThrow())).toBeLessThanOrEqual(MAX_DATE_CHARACTERS);
  });

  it('is no number before any expression sees it', () => {
    const text = `${' '.repeat(bytes)}x`;
    expect(expressionsSeeing(() => parseDecimal(text))).toBeLessThanOrEqual(400);
  });

  it('is refused before it is folded', () => {
    // In time that grows with the square of the length: each second accent moves before all that were there.
    const accents = '\u0301\u0316'.repeat(bytes / 4);
    const normalize = String.prototype.normalize;
    let longest = 0;
    String.prototype.normalize = function (this: string, form?: string) {
      longest = Math.max(longest, this.length);
      return normalize.call(this, form);
    };
    try {
      expect(() => encodeString(accents, FOLDED)).toThrow(`may have ${MAX_FOLDED_CHARACTERS}`);
      expect(encodeString('\uff34erui', FOLDED)).toBe('terui');
    } finally {
      String.prototype.normalize = normalize;
    }
    expect(longest).toBeLessThanOrEqual(MAX_FOLDED_CHARACTERS);
    expect(encodeString(accents, AS_WRITTEN)).toBe(accents);
  });

  it('keeps every fraction that it has room for', () => {
    const zeros = '0'.repeat(100);
    expect(encodeDate(`2020-07-01T00:00:00.${zeros}7${zeros}Z`)).toBe(`2020-07-01T00:00:00.${zeros}7`);
    expect(encodeDate(`2020-07-01T00:00:00.${zeros}Z`)).toBe('2020-07-01T00:00:00');
  });
});

/** The length of the longest text that a regular expression looks at meanwhile. */
function expressionsSeeing(run: () => unknown): number {
  const exec = RegExp.prototype.exec;
  let longest = 0;
  // `test`, `match`, `replace` and `search` all go through it once it is replaced.
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    longest = Math.max(longest, text.length);
    return exec.call(this, text);
  };
  try {
    run();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return longest;
}
