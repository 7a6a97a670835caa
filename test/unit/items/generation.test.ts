import { describe, expect, it } from 'vitest';
import { baseKeyOfIndexItem, parseDerivedKey } from '../../../src/core/items/derived-key.ts';
import { splitGeneration } from '../../../src/core/items/generation.ts';
import { countNameOf, degreeKey, searchKey } from '../../../src/core/items/key-forms.ts';
import { SORT_KEY_BYTES } from '../../../src/core/items/keys.ts';
import { edgeIndexKey, searchValueKey } from '../../support/derived-keys.ts';

describe('keys of generations', () => {
  it('the first generation has the plain keys', () => {
    expect(edgeIndexKey('FOLLOWS-USER-2', undefined, 1)).toBe('~ix/FOLLOWS-USER-2');
    expect(searchKey('name', 1)).toBe('~ix/name');
    expect(degreeKey(countNameOf('FOLLOWS', 1))).toBe('~degree/FOLLOWS');
  });

  it('keys are told apart by generation, order and base item', () => {
    expect(splitGeneration('~ix/@2/name')).toEqual({ generation: 2, plain: '~ix/name' });
    expect(splitGeneration('~degree/@12/FOLLOWS')).toEqual({ generation: 12, plain: '~degree/FOLLOWS' });
    expect(parseDerivedKey('~ix/@3/#byDate/FOLLOWS-USER-2')).toMatchObject({ order: 'byDate', generation: 3 });
    expect(parseDerivedKey('~ix/@2/#includeTarget/TICKET')).toMatchObject({ kind: 'target-item', edgeType: 'TICKET' });
    expect(baseKeyOfIndexItem('USER-1', '~ix/@2/FOLLOWS-USER-2')).toBe('FOLLOWS-USER-2');
    expect(baseKeyOfIndexItem('USER-1', '~ix/@3/#byDate/FOLLOWS-USER-2')).toBe('FOLLOWS-USER-2');
    expect(baseKeyOfIndexItem('USER-1', '~ix/@2/name')).toBe('USER-1');
  });

  it('what only looks like a mark belongs to the key: views, base items, marks of the first generation', () => {
    for (const key of ['~view', 'FOLLOWS-@2/x', '~ix/@1/name', '~ix/@0/name', '~ix/@x/name', '~ix/name/@2/x']) {
      expect(splitGeneration(key)).toEqual({ generation: 1, plain: key });
    }
  });

  it('a search with a name like a mark has keys of its own', () => {
    expect(searchKey('@2')).toBe('~ix/%402');
    expect(searchValueKey('@2', 'name')).not.toBe(searchKey('name', 2));
  });

  it('keys that would be too long are hashed behind the mark', () => {
    const key = edgeIndexKey(`FOLLOWS-USER-${'x'.repeat(1005)}`, undefined, 2);
    expect(Buffer.byteLength(key)).toBeLessThanOrEqual(SORT_KEY_BYTES);
    expect(key).toMatch(/^~ix\/@2\/#[0-9a-f]{32}$/);
  });
});
