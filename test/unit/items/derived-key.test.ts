import { describe, expect, it } from 'vitest';
import { classifyDerivedKey } from '../../../src/items/derived-key.ts';
import {
  continuationKey,
  countNameOf,
  degreeKey,
  edgeIndexKey,
  ownerIndexKey,
  quarantineKey,
  reverseKey,
  searchKey,
  searchValueKey,
  VIEW_KEY,
} from '../../../src/items/keys.ts';

const LONG = 'x'.repeat(1_500);

describe('the kind of a derived item', () => {
  it.each<[sortKey: string, kind: string, edgeType: string, generation?: number]>([
    [VIEW_KEY, 'view', ''],
    [searchKey('name'), 'index-item', ''],
    [searchKey('name', 2), 'index-item', '', 2],
    [searchValueKey('name', LONG), 'index-item', ''],
    [edgeIndexKey('FOLLOWS-USER-1'), 'index-item', ''],
    [edgeIndexKey(`FOLLOWS-USER-${LONG}`, 'byDate'), 'index-item', ''],
    [ownerIndexKey('FOLLOWS'), 'owner-item', ''],
    [ownerIndexKey('FOLLOWS', 'byDate', 3), 'owner-item', '', 3],
    [reverseKey('FOLLOWS', 'USER-1'), 'reverse-item', 'FOLLOWS'],
    [reverseKey('FOLLOWS', `USER-${LONG}`), 'reverse-item', 'FOLLOWS'],
    [degreeKey('FOLLOWS'), 'count', 'FOLLOWS'],
    [degreeKey(countNameOf('FOLLOWS', 2)), 'count', 'FOLLOWS', 2],
    [continuationKey('FOLLOWS'), 'continuation', 'FOLLOWS'],
    [quarantineKey('FOLLOWS-USER-1', 'label/1'), 'quarantine-entry', ''],
    [quarantineKey(`FOLLOWS-USER-${LONG}`, 'label/1'), 'quarantine-entry', ''],
    ['~', 'unknown-item', ''],
    ['~views', 'unknown-item', ''],
    ['~rev/', 'unknown-item', ''],
    ['~rev/no type', 'unknown-item', ''],
  ])('follows from its sort key alone: %.40s is of kind %s', (sortKey, kind, edgeType, generation = 1) => {
    expect(classifyDerivedKey(sortKey)).toEqual({ kind, edgeType, generation });
  });
  it.each(['USER-1', 'FOLLOWS-USER-~view', ''])('is none for a base item: %j', (sortKey) => {
    expect(classifyDerivedKey(sortKey)).toBeUndefined();
  });
});
