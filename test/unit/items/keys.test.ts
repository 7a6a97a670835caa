import { describe, expect, it } from 'vitest';
import { baseKeyOfIndexItem } from '../../../src/core/items/derived-key.ts';
import { quarantineKey, searchKey, targetItemKey } from '../../../src/core/items/key-forms.ts';
import {
  checkKeyText,
  describe as describeValue,
  hash128,
  isTypeName,
  PARTITION_KEY_BYTES,
  parseNodeId,
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

describe('node ids', () => {
  it.each(['', 'GOAL', 'GOAL-', '-G1', 'goal-1', '~view', 'a b-c'])('%j is none', (id) => {
    expect(parseNodeId(id)).toBeUndefined();
  });
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
  it('escape in a name what would make it another key', () => {
    expect(searchKey('a/b')).toBe('~ix/a%2Fb');
    expect(searchKey('A-USER-1')).toBe('~ix/A%2DUSER%2D1');
    expect(searchKey('100%')).toBe('~ix/100%25');
  });
});

describe('the base item of an index item', () => {
  it.each<[string, string | undefined]>([
    ['~ix/MEMBER-USER-1', 'MEMBER-USER-1'],
    ['~ix/#byName/MEMBER-USER-1', 'MEMBER-USER-1'],
    ['~ix/#byName/MEMBER-USER-1/x#y', 'MEMBER-USER-1/x#y'],
    ['~ix/name', 'GOAL-1'],
    ['~ix/tags/a-b', 'GOAL-1'],
    [`~ix/#${hash128('long')}`, undefined],
    [`~ix/#byName/#${hash128('long')}`, undefined],
    ['~ix/#byName/', undefined],
    ['~ix/#includeTarget/MEMBER', 'GOAL-1'],
    ['~ix/#includeTarget/MEMBER/byName', 'GOAL-1'],
    [targetItemKey('M'.repeat(1020)), 'GOAL-1'],
    ['~ix/#ByName/MEMBER-USER-1', undefined],
  ])('of %s is %s', (key, base) => expect(baseKeyOfIndexItem('GOAL-1', key)).toBe(base));
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
  it('takes any text within the limit, counted in bytes', () => {
    expect(failure('é'.repeat(1024))).toBeUndefined();
    expect(failure('é'.repeat(1025))).toMatchObject({ code: 'key-too-long', message: expect.stringContaining('2050') });
    expect(failure('x'.repeat(1025), SORT_KEY_BYTES)).toMatchObject({ code: 'key-too-long' });
  });
  it.each<unknown>(['', 7, undefined, null, {}])('refuses %j and names the attribute', (text) => {
    expect(failure(text)).toMatchObject({ code: 'invalid-key', message: expect.stringMatching(/^source /) });
  });
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
