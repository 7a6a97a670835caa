import { describe, expect, it } from 'vitest';
import { compileFilters, type FilterPattern } from '../../../packages/local/emulator/mapping/filter-pattern.ts';

const RECORD = {
  eventName: 'MODIFY',
  dynamodb: {
    Keys: { source: { S: 'GOAL-G1' }, target: { S: 'GOALMEMBERSHIP-USER-U1' } },
    NewImage: {
      role: { S: 'LEAD' },
      note: { S: '' },
      gone: { NULL: true },
      size: { N: '12' },
      tags: { SS: ['red', 'blue'] },
      list: { L: [{ S: 'a' }, { S: 'b' }] },
      nothing: null,
    },
    SizeBytes: 12,
  },
};

/** Whether a pattern for the new image lets the record in. */
function matches(image: FilterPattern): boolean {
  return compileFilters([{ dynamodb: { NewImage: image } }])(RECORD);
}

describe('a filter lets in', () => {
  it.each<[string, FilterPattern, boolean]>([
    ['an equal text', { role: { S: ['LEAD'] } }, true],
    ['no text in another case', { role: { S: ['lead'] } }, false],
    ['one of several', { role: { S: ['TEAM', 'LEAD'] } }, true],
    ['the empty text', { note: { S: [''] } }, true],
    ['true', { gone: { NULL: [true] } }, true],
    ['null', { nothing: [null] }, true],
    ['no null where a value is', { role: { S: [null] } }, false],
    ['no number for its text', { size: { N: [12] } }, false],
    ['a prefix', { role: { S: [{ prefix: 'LE' }] } }, true],
    ['no other prefix', { role: { S: [{ prefix: 'EA' }] } }, false],
    ['a suffix', { role: { S: [{ suffix: 'AD' }] } }, true],
    ['no other suffix', { role: { S: [{ suffix: 'LE' }] } }, false],
    ['anything but another', { role: { S: [{ 'anything-but': 'TEAM' }] } }, true],
    ['not the one', { role: { S: [{ 'anything-but': ['TEAM', 'LEAD'] }] } }, false],
    ['anything but, where there is something', { absent: { S: [{ 'anything-but': ['TEAM'] }] } }, false],
    ['what exists', { role: { S: [{ exists: true }] } }, true],
    ['not what is absent', { absent: { S: [{ exists: true }] } }, false],
    ['absence', { absent: { S: [{ exists: false }] } }, true],
    ['no absence of what is there', { role: { S: [{ exists: false }] } }, false],
    ['no inner node by exists', { role: [{ exists: true }] }, false],
    ['no absence of an inner node', { role: [{ exists: false }] }, false],
    ['an element of a set', { tags: { SS: ['blue'] } }, true],
    ['a map of a list', { list: { L: { S: ['b'] } } }, true],
    ['no field of Object.prototype', { constructor: { name: [{ exists: true }] } }, false],
  ])('%s', (_name, pattern, expected) => {
    expect(matches(pattern)).toBe(expected);
  });

  it('what matches in all fields, by any of the patterns', () => {
    const lead: FilterPattern = { eventName: ['MODIFY'], dynamodb: { NewImage: { role: { S: ['LEAD'] } } } };
    const insert: FilterPattern = { eventName: ['INSERT'], dynamodb: { NewImage: { role: { S: ['LEAD'] } } } };
    expect(compileFilters([insert])(RECORD)).toBe(false);
    expect(compileFilters([insert, lead])(RECORD)).toBe(true);
    expect(compileFilters([])(RECORD)).toBe(true);
    expect(compileFilters([{ dynamodb: { SizeBytes: [12] } }])(RECORD)).toBe(true);
  });
});

describe('a filter is refused', () => {
  it.each<[string, unknown, string]>([
    [
      'for a numeric operator',
      { dynamodb: { SizeBytes: [{ numeric: ['>', 1] }] } },
      'filters[0].dynamodb.SizeBytes[0]',
    ],
    ['for a prefix within anything-but', { a: [{ 'anything-but': { prefix: '~' } }] }, 'filters[0].a[0]'],
    ['for an unknown operator', { a: [{ startsWith: 'x' }] }, '"startsWith"'],
    ['for two operators at once', { a: [{ prefix: 'x', suffix: 'y' }] }, 'one operator'],
    ['for a leaf that is no list', { eventName: 'INSERT' }, 'filters[0].eventName'],
    ['for an empty list', { eventName: [] }, 'at least one value'],
    ['for an empty pattern', {}, 'at least one field'],
    ['for an argument of another type', { a: [{ exists: 'yes' }] }, 'exists'],
    ['for its length', { a: ['x'.repeat(5000)] }, '4096'],
  ])('%s', (_name, pattern, said) => {
    expect(() => compileFilters([pattern as FilterPattern])).toThrow(said);
  });
  it('for one too many', () => {
    const six = Array.from({ length: 6 }, (): FilterPattern => ({ eventName: ['INSERT'] }));
    expect(() => compileFilters(six)).toThrow(expect.objectContaining({ code: 'invalid-filter' }));
  });
});
