import { runInNewContext } from 'node:vm';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  either,
  exactObject,
  finite,
  flag,
  hasShape,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  recordOf,
  type Shape,
  type Shaped,
  text,
  tuple,
  wholeNumberBetween,
} from '../../../src/core/model/options/shape.ts';

/** `path: message` of each mistake. */
function mistakes(shape: Shape<unknown>, input: unknown): string[] {
  const found: string[] = [];
  shape(input, (path, message) => found.push(`${path.join('.')}: ${message}`));
  expect(hasShape(shape, input)).toBe(found.length === 0);
  return found;
}

const search = exactObject({
  name: text,
  shards: optional(wholeNumberBetween(1, 9)),
  tags: optional(listOf(text, 'no list', 'no tag')),
});

class Flags {
  a = true;
}
const PLAIN = [Object.assign(Object.create(null), { a: true }), runInNewContext('({ a: true })')];

describe('a shape', () => {
  it.each<[string, Shape<unknown>, unknown[], unknown[]]>([
    ['a string', text, ['', 'a'], [undefined, null, 7, ['a']]],
    ['a flag', flag, [true, false], [undefined, 'true', 0]],
    ['a number', finite, [0.5, -1], [Number.NaN, Number.POSITIVE_INFINITY, '1', 1n]],
    ['a whole number', integer, [-3, 0], [0.5, 2 ** 53, '1']],
    ['a whole number within limits', wholeNumberBetween(1, 3), [1, 3], [0, 4, 1.5, '2', Number.NaN]],
    [
      'a whole number without an upper limit',
      wholeNumberBetween(1),
      [Number.MAX_SAFE_INTEGER],
      [2 ** 53, Number.POSITIVE_INFINITY],
    ],
    ['one of two', oneOf('a', false), ['a', false], ['b', true, undefined]],
    ['either of two', either([text, flag], 'neither'), ['a', true], [1, null]],
    ['what may be left out', optional(text), [undefined, 'a'], [null]],
    ['what may be null', nullable(text), [null, 'a'], [undefined]],
    ['a list', listOf(text), [[], ['a']], [['a', 1], { 0: 'a', length: 1 }, 'a', undefined]],
    ['a tuple', tuple(text, flag), [['a', true]], [['a'], ['a', true, 1], [true, 'a'], 'ab']],
    ['a record', recordOf(text, flag), [{}, { constructor: true }], [[], null, { a: 1 }, 'a']],
    ['a record that is plain', recordOf(text, flag), PLAIN, [new Map([['a', true]]), new Set(['a']), new Flags()]],
    ['an object', object({ a: text }), [{ a: '' }, { a: '', b: 1 }], [{}, { a: 1 }, [], null]],
    ['options', search, [{ name: 'a' }, { name: 'a', shards: undefined }], [{ name: 'a', constructor: 1 }, {}, null]],
  ])('tells %s', (_name, shape, fitting, others) => {
    for (const input of fitting) expect(mistakes(shape, input)).toEqual([]);
    for (const input of others) expect(mistakes(shape, input)).not.toEqual([]);
  });

  it('notes all mistakes, each at its place', () => {
    expect(mistakes(recordOf(text, search), { a: { name: 1, shards: 0, tags: [], of: 1, by: 2 } })).toEqual([
      ...['a.name: should be a string', 'a.shards: should be a whole number from 1 to 9', 'a.tags: no tag'],
      ...['a: has no option "of". There are name, shards, tags', 'a: has no option "by". There are name, shards, tags'],
    ]);
    expect(mistakes(search, { name: '', tags: ['a', 7] })).toEqual(['tags.1: should be a string']);
    expect(mistakes(recordOf(oneOf('a'), wholeNumberBetween(0)), JSON.parse('{ "__proto__": -1 }'))).toEqual([
      "__proto__: should be 'a'",
      '__proto__: should be a whole number of 0 or more',
    ]);
    expect(mistakes(oneOf('a', 'b', 'c'), 'd')).toEqual([": should be 'a', 'b' or 'c'"]);
  });

  it('has the type of its inputs', () => {
    expectTypeOf<Shaped<typeof search>>().toEqualTypeOf<{ name: string } & { shards?: number; tags?: string[] }>();
    const pair = tuple(nullable(text), either([flag, oneOf('x')], ''));
    expectTypeOf<Shaped<typeof pair>>().toEqualTypeOf<[string | null, boolean | 'x']>();
  });
});
