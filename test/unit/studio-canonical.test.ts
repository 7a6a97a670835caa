import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalEntries } from '../../packages/studio/page/base/canonical.ts';
import { type AttributeValue, canonicalText } from '../../src/core/items/attribute-value.ts';

/** Letters that the canonical text itself uses. */
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('"', '\\', ',', ':', '{', '}', '[', ']', 'M', 'N') }),
);
const { value: values } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    texts.map((S) => ({ S })),
    fc
      .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }))
      .map((N) => ({ N: String(N) })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.uniqueArray(texts, { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
    fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
    fc.dictionary(texts, tie('value'), { maxKeys: 3 }).map((M) => ({ M })),
  ),
}));

/** A value as JSON has it, map entries in the order of the canonical text. */
function plainOf(value: AttributeValue): unknown {
  if ('N' in value) return Number(value.N);
  if ('SS' in value) return [...value.SS].sort();
  if ('L' in value) return value.L.map(plainOf);
  if ('M' in value) return Object.fromEntries(Object.entries(value.M).map(([name, one]) => [name, plainOf(one)]));
  return Object.values(value)[0];
}

describe('the entries of a canonical text', () => {
  it('are those of the map: texts as they are, all else as JSON, each number with its value', () => {
    fc.assert(
      fc.property(fc.dictionary(texts, values, { maxKeys: 4 }), (M) => {
        const entries = canonicalEntries(canonicalText({ M }));
        expect([...(entries?.keys() ?? [])]).toEqual(Object.keys(M).sort());
        for (const [name, value] of Object.entries(M)) {
          const shown = entries!.get(name)!;
          if ('S' in value) expect(shown).toBe(value.S);
          else expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(plainOf(value))));
        }
      }),
    );
  });

  it('show numbers with every digit, and are none of another text', () => {
    const texts: [stored: string, shown: string][] = [
      ['1', '1'],
      ['10', '10'],
      ['-1.50', '-1.5'],
      ['0', '0'],
      ['0.001', '0.001'],
      ['12345678901234567890.5', '12345678901234567890.5'],
      ['1E+100', '0.1e101'],
    ];
    for (const [N, shown] of texts) {
      expect(canonicalEntries(canonicalText({ M: { a: { N } } }))?.get('a')).toBe(shown);
      expect(canonicalEntries(canonicalText({ M: { a: { NS: [N] } } }))?.get('a')).toBe(`[${shown}]`);
    }
    expect([...canonicalEntries('M{"b":{"BOOL":true},"c":{"NULL":true}}')!]).toEqual([
      ['b', 'true'],
      ['c', 'null'],
    ]);
    for (const text of ['', '{"S":"M{}"}', 'GOAL-G1', 'M{"a', 'M{a:1}', 'M{"a":N1e1}…'])
      expect(canonicalEntries(text)).toBeUndefined();
  });
});
