import fc from 'fast-check';

/** Texts that keys, ids and labels have to survive: every separator and escape of this project, and worse. */
export const ODD_TEXTS: readonly string[] = [
  'a',
  '-',
  '#',
  '/',
  '~',
  '|',
  '%',
  '=',
  '%25',
  '%7C',
  'a|b=c',
  '#1',
  '~view',
  '~ix/name',
  'USER-U1',
  'U1#17',
  'U1/x',
  '\u0000',
  'a\u0000~b',
  ' ',
  '\u{1F600}',
  '\uFFFD',
  'é',
  'e\u0301',
  'constructor',
  '__proto__',
  'toString',
  'x'.repeat(1024),
  'é'.repeat(512),
];

/** A code point that is no surrogate. fast-check's own unit of these makes a map of all million, in each process. */
const codePoint = fc.integer({ min: 0, max: 0x10_f7ff }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

/** A text of any code points. */
export function codePoints(minLength: number, maxLength?: number): fc.Arbitrary<string> {
  return fc.string({ unit: codePoint, minLength, ...(maxLength !== undefined && { maxLength }) });
}

/** Any text that DynamoDB can store (no lone surrogates), not empty, the odd ones often. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 3, arbitrary: codePoints(1, 20) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom('-', '#', '/', '~', '|', '%', '=', ':', '2', '5', '7', 'C', 'a', '\u0000'), {
        minLength: 1,
        maxLength: 8,
      })
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: codePoints(300, 1200) },
);

/** A type name. */
export const typeName: fc.Arbitrary<string> = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,6}$/);
