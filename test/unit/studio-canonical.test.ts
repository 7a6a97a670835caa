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
    fc.integer().map((N) => ({ N: String(N) })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.uniqueArray(texts, { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
    fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
    fc.dictionary(texts, tie('value'), { maxKeys: 3 }).map((M) => ({ M })),
  ),
}));

describe('the entries of a canonical text', () => {
  it('are those of the map, texts as they are', () => {
    fc.assert(
      fc.property(fc.dictionary(texts, values, { maxKeys: 4 }), (M) => {
        const entries = canonicalEntries(canonicalText({ M }));
        expect([...(entries?.keys() ?? [])]).toEqual(Object.keys(M).sort());
        for (const [name, value] of Object.entries(M)) {
          if ('S' in value) expect(entries?.get(name)).toBe(value.S?.replaceAll('\0', '␀'));
          if ('L' in value || 'M' in value || 'SS' in value) expect(entries?.get(name)).toBe(canonicalText(value));
        }
      }),
    );
  });

  it('show a number without its mark, and are none of another text', () => {
    expect([...canonicalEntries('M{"a":N-1.5,"b":{"BOOL":true},"c":{"NULL":true}}')!]).toEqual([
      ['a', '-1.5'],
      ['b', 'true'],
      ['c', 'true'],
    ]);
    for (const text of ['', '{"S":"M{}"}', 'GOAL-G1', 'M{"a', 'M{a:1}']) expect(canonicalEntries(text)).toBeUndefined();
  });
});
