import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stepsBetween, type WatchedRow } from '../../../src/client/feed/list-steps.ts';
import { applyWatchEvent, type WatchEvent } from '../../../src/client/feed/watch-types.ts';

const row = (id: string, place: string, title = ''): WatchedRow<{ id: string; title: string }> => ({
  ...{ id, place },
  item: { id, title },
});

/** A reading of a list: rows in the order of their places, and those of one place in any order. */
const reading = fc
  .uniqueArray(fc.record({ id: fc.nat(9), place: fc.nat(4), title: fc.nat(1) }), { selector: ({ id }) => id })
  .map((rows) =>
    rows.sort((a, b) => a.place - b.place).map(({ id, place, title }) => row(`${id}`, `${place}`, `${title}`)),
  );

it('lead from any reading of a list to any other', () => {
  fc.assert(
    fc.property(reading, reading, (before, after) => {
      const list = before.map(({ item }) => item);
      for (const step of stepsBetween(before, after)) applyWatchEvent(list, { ...step, upTo: '' } as WatchEvent<never>);
      expect(list).toEqual(after.map(({ item }) => item));
    }),
  );
});

it('are none between equal readings', () => {
  fc.assert(fc.property(reading, (rows) => stepsBetween(rows, structuredClone(rows)).length === 0));
});

it('say that a row has moved, though it stands where it stood', () => {
  expect(stepsBetween([row('A', '1')], [row('A', '2')])).toMatchObject([{ type: 'leave' }, { type: 'enter' }]);
});
