import { describe, expect, it } from 'vitest';
import { parseDerivedKey } from '../../../src/core/items/derived-key.ts';
import { quarantineKey } from '../../../src/core/items/key-forms.ts';
import { FanOutPlaces } from '../../../src/core/model/projection/places.ts';
import { edgeIndexKey, searchValueKey } from '../../support/derived-keys.ts';

const LONG = 'x'.repeat(1_500);

describe('the kind of a derived item', () => {
  it.each<[sortKey: string, kind: string, edgeType: string]>([
    [searchValueKey('name', LONG), 'index-item', ''],
    [edgeIndexKey(`FOLLOWS-USER-${LONG}`, 'byDate'), 'index-item', ''],
    [new FanOutPlaces('FOLLOWS').reverseKey(`USER-${LONG}`), 'reverse-item', 'FOLLOWS'],
    [quarantineKey(`FOLLOWS-USER-${LONG}`), 'quarantine-entry', ''],
    ['~', 'unknown-item', ''],
    ['~views', 'unknown-item', ''],
    ['~rev/', 'unknown-item', ''],
    ['~rev/no type', 'unknown-item', ''],
  ])('follows from its sort key alone: %.40s is of kind %s', (sortKey, kind, edgeType) => {
    expect(parseDerivedKey(sortKey)).toMatchObject({ kind, edgeType, generation: 1 });
  });
  it.each([
    ...['~ix/@2', '~ix/@2/@3/name', '~ix/@1/name', '~ix/na%6De', '~ix/na%2fme', '~ix/%', '~ix/follows-USER-1'],
    ...['~ix/#zz', '~ix/name/#zz', '~ix/#byDate/', '~ix/#byDate/#zz', '~ix/#includeTarget/follows'],
  ])('%s is of an index item that no projection makes', (sortKey) => {
    expect(parseDerivedKey(sortKey)).toMatchObject({ kind: 'index-item', of: 'nothing' });
  });
  it.each(['USER-1', 'FOLLOWS-USER-~view', ''])('is none for a base item: %j', (sortKey) => {
    expect(parseDerivedKey(sortKey)).toBeUndefined();
  });
});
