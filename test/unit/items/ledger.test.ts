import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { type Amounts, hasRoomForOthers, MOST_VALUES, Room, RoomForOthers } from '../../../src/core/items/ledger.ts';
import { ONE } from '../../../src/core/items/units.ts';

const TOTAL = '~total/WORKED_ON';

function edge(kind: string, isOther = false): Item {
  const ledger = { M: { 'by/kind': { S: `S${kind}` } } };
  return { counted: { S: TOTAL }, ledger, ...(isOther && { other: { SS: ['by/kind'] } }) };
}

/** A total in which as many values have edges, next to one edge whose value has no name. */
function amounts(values: number): Amounts {
  const names = Array.from({ length: values }, (_, i): [string, bigint] => [`by/kind/S${i}`, ONE]);
  return new Map([...names, ['by/kind/~other', ONE]]);
}

describe('values of a group without a name', () => {
  it('have room while fewer than 50 values have edges', () => {
    expect(hasRoomForOthers(amounts(MOST_VALUES - 1))).toBe(true);
    expect(hasRoomForOthers(amounts(MOST_VALUES))).toBe(false);
    expect(hasRoomForOthers(new Map([['by/kind/S0', ONE]]))).toBe(false);
  });

  it('are not values that end like them', () => {
    expect(hasRoomForOthers(new Map([['by/kind/Sx/~other', ONE]]))).toBe(false);
  });

  it('get a name one after another, until the room is taken', () => {
    const room = new RoomForOthers(amounts(MOST_VALUES - 2));
    const taken = ['a', 'b', 'c', 'a', '0'].filter((kind) => room.takes(edge(kind, true)));
    // An edge whose value has got a name meanwhile, or has had it all along, gets it too.
    expect(taken).toEqual(['a', 'b', 'a', '0']);
  });

  it('are those alone that an item says are without a name', () => {
    const room = new RoomForOthers(amounts(1));
    expect(room.takes(edge('a'))).toBe(false);
    expect(room.takes({ ...edge('a', true), ledger: { S: 'no ledger' } })).toBe(false);
  });
});

describe('the room for a value of a group', () => {
  const change = (kind: string) => ({ current: undefined, expected: edge(kind) });
  const total = (values: number): Item => ({
    count: { N: String(values) },
    'keys/kind': { SS: Array.from({ length: values }, (_, i) => `S${i}`) },
    ...Object.fromEntries(Array.from({ length: values }, (_, i) => [`by/kind/S${i}`, { N: '1' }])),
  });
  const roomOf = (count: Item | undefined, ...kinds: string[]) => {
    const changes = kinds.map(change);
    const room = new Room(count, TOTAL, changes);
    const others = changes.flatMap((one) => room.groupsWithoutRoom(one));
    return { others, isTaken: room.isTaken, held: room.held };
  };

  it('is that of the value, as long as the count has it', () => {
    expect(roomOf(total(3), '1', '1', '2')).toEqual({
      others: [],
      isTaken: false,
      held: { 'keys/kind': ['S1', 'S2'] },
    });
  });

  it('is taken under the revision that was seen where the value is new, or the group full', () => {
    expect(roomOf(total(3), 'new')).toMatchObject({ others: [], isTaken: true });
    expect(roomOf(undefined, 'new')).toMatchObject({ others: [], isTaken: true });
    expect(roomOf(total(MOST_VALUES), '1')).toMatchObject({ others: [], isTaken: true });
    expect(roomOf(total(MOST_VALUES), 'new')).toMatchObject({ others: ['by/kind'], isTaken: true });
  });

  it('is that of a value of no edge, even beside an edge with that value that has no name and keeps it so', () => {
    const count = { ...total(MOST_VALUES), 'by/kind/S0': { N: '0' }, 'by/kind/~other': { N: '1' } };
    const stays = { current: edge('0', true), expected: edge('0') };
    const room = new Room(count, TOTAL, [stays, change('new')]);
    expect([stays, change('new')].map((one) => room.groupsWithoutRoom(one))).toEqual([['by/kind'], []]);
    expect(room.freed.unset).toEqual(['by/kind/S0']);
  });
});
