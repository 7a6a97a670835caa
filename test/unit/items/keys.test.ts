import { describe, expect, it } from 'vitest';
import { quarantineKey, searchKey, targetItemKey } from '../../../src/core/items/key-forms.ts';
import {
  checkKeyText,
  describe as describeValue,
  hash128,
  isTypeName,
  PARTITION_KEY_BYTES,
  SORT_KEY_BYTES,
  typePrefix,
} from '../../../src/core/items/keys.ts';
import { edgeIndexKey, searchValueKey } from '../../support/derived-keys.ts';

describe('type names', () => {
  it.each(['G', 'GOAL', 'GOAL_2', 'A1'])('%s is one', (name) => expect(isTypeName(name)).toBe(true));
  it.each(['', 'goal', '1GOAL', '_A', 'GO-AL', 'GOAL ', 'GÖAL', '~A', 'A\n'])('%j is none', (name) =>
    expect(isTypeName(name)).toBe(false),
  );
});

describe('edge sort keys', () => {
  it('have no type where none stands before a dash', () => {
    for (const key of ['~ix/A-B', 'goal-x', 'GOAL', '-x']) expect(typePrefix(key)).toBeUndefined();
  });
});

describe('derived sort keys', () => {
  it('stay readable', () => {
    expect(edgeIndexKey('GOALMEMBERSHIP-USER-U1')).toBe('~ix/GOALMEMBERSHIP-USER-U1');
    expect(edgeIndexKey('GOALMEMBERSHIP-USER-U1', 'byPriority')).toBe('~ix/#byPriority/GOALMEMBERSHIP-USER-U1');
    expect(targetItemKey('TICKET')).toBe('~ix/#includeTarget/TICKET');
    expect(targetItemKey('TICKET', 'byPriority')).toBe('~ix/#includeTarget/TICKET/byPriority');
    expect(searchKey('name')).toBe('~ix/name');
    expect(searchValueKey('favoriteFoods', 'ramen')).toBe('~ix/favoriteFoods/ramen');
    expect(quarantineKey('GOAL-G1')).toBe('~quarantine/GOAL-G1');
  });
  it('are hashed where they would be too long, and just fit before that', () => {
    const fitting = 'A-'.padEnd(SORT_KEY_BYTES - '~ix/'.length, 'x');
    expect(edgeIndexKey(fitting)).toBe(`~ix/${fitting}`);
    expect(edgeIndexKey(`${fitting}x`)).toBe(`~ix/#${hash128(`${fitting}x`)}`);
    expect(edgeIndexKey(fitting, 'byPriority')).toBe(`~ix/#byPriority/#${hash128(fitting)}`);
    const long = 'é'.repeat(600);
    expect(searchValueKey('tag', long)).toBe(`~ix/tag/#${hash128(long)}`);
    expect(quarantineKey(`GOAL-${long}`)).toBe(`~quarantine/#${hash128(`GOAL-${long}`)}`);
  });
  it('hash a value that looks like a hash, so that no other value can be taken for it', () => {
    const imitation = `#${hash128('é'.repeat(600))}`;
    expect(searchValueKey('tag', imitation)).not.toBe(searchValueKey('tag', 'é'.repeat(600)));
  });
});

describe('checkKeyText', () => {
  const failure = (text: unknown, limit = PARTITION_KEY_BYTES): unknown => {
    try {
      checkKeyText(text, 'source', limit);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  it('refuses a lone surrogate, which would come back as another key', () => {
    expect(failure('USER-\ud800')).toMatchObject({
      code: 'invalid-key',
      message: expect.stringContaining('surrogate'),
    });
  });
  it('shortens long values in messages', () => {
    expect(describeValue('x'.repeat(200))).toHaveLength(80);
    expect(describeValue(['x'.repeat(200)])).toHaveLength(80);
  });
  it.each<[unknown, string]>([
    ['a\nb', '"a\\nb"'],
    [['a\nb', 'c'], '["a\\nb", "c"]'],
    [['1', 1, [], ['a'], null], '["1", 1, [], [...], null]'],
    [[], '[]'],
    ['', '""'],
    [new Uint8Array(), '[object Uint8Array]'],
    [5n, '5'],
    [7, '7'],
    [undefined, 'undefined'],
    [Object.create(null), '[object Object]'],
    [[Object.create(null)], '[[object Object]]'],
  ])('shows any value in one line', (value, text) => {
    expect(describeValue(value)).toBe(text);
  });
});
