import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ListWindow,
  MAX_RECENT_BYTES,
  type Stretch,
  stepsBetween,
  type WindowRow,
} from '../../../src/client/feed/list-window.ts';

/**
 * A window over a list whose items are written at random, while the index shows each of them as it was up to `GRACE` ago, and records
 * come late and repeatedly: at rest it is the beginning of the list.
 */

const GRACE = 10;
const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** The state of an item since a time: its revision, and its place, if it is in the list. */
interface State {
  atMs: number;
  revision: number;
  place: string | undefined;
}

/** One thing that happens. */
type Happening =
  | { kind: 'write'; id: number; place: number | undefined }
  | { kind: 'pass'; ms: number }
  | { kind: 'deliver'; count: number }
  | { kind: 'replay'; count: number };

const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('write' as const),
      id: fc.nat(6),
      place: fc.option(fc.nat(4), { nil: undefined }),
    }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: GRACE }) }),
    fc.record({ kind: fc.constant('deliver' as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('replay' as const), count: fc.integer({ min: 1, max: 6 }) }),
  ),
  { maxLength: 40 },
);

/** A list, its index and its stream. */
class List {
  nowMs = 100;
  private readonly states = new Map<string, State[]>();
  readonly records: { id: string; state: State }[] = [];

  constructor(
    /** Draws how old the state of an item is that the index shows, in milliseconds. */
    private readonly lag: () => number,
  ) {}

  write(number: number, place: number | undefined): void {
    const id = `item-${number}`;
    const states = this.states.get(id) ?? [];
    // Places are unique over all items, as sort keys of an index are.
    const state = {
      atMs: this.nowMs,
      revision: states.length + 1,
      place: place === undefined ? undefined : `${place}/${id}`,
    };
    this.states.set(id, [...states, state]);
    this.records.push({ id, state });
  }

  /** The rows of the list, as of up to `mostLagMs` ago for each item. */
  private rows(lagMs: () => number): WindowRow<string>[] {
    const rows: WindowRow<string>[] = [];
    for (const [id, states] of this.states) {
      const asOf = this.nowMs - lagMs();
      const state = states.findLast(({ atMs }) => atMs <= asOf);
      if (state?.place === undefined) continue;
      rows.push({ id, place: state.place, revision: state.revision, item: `${id} ${state.revision}` });
    }
    return rows.sort((left, right) => compare(left.place, right.place));
  }

  read(limit: number, after: string | undefined): Stretch<string> {
    const rows = this.rows(this.lag).filter(({ place }) => after === undefined || compare(place, after) > 0);
    const first = rows.slice(0, limit);
    return { rows: first, upTo: rows.length > limit ? first.at(-1)!.place : undefined };
  }

  first(limit: number): string[] {
    return this.rows(() => 0)
      .slice(0, limit)
      .map(({ item }) => item);
  }
}

function rowOf(id: string, { place, revision }: State): WindowRow<string> | undefined {
  return place === undefined ? undefined : { id, place, revision, item: `${id} ${revision}` };
}

describe('a window over a list', () => {
  it('is the beginning of the list once all records have come, and the index is read again', () => {
    fc.assert(
      fc.property(
        happenings,
        fc.integer({ min: 1, max: 4 }),
        fc.infiniteStream(fc.nat(GRACE)),
        fc.constantFrom(1, MAX_RECENT_BYTES / 3, MAX_RECENT_BYTES),
        fc.nat(2),
        (script, limit, lags, bytes, reserve) => {
          const list = new List(() => lags.next().value);
          const split = script.findIndex(({ kind }) => kind === 'pass');
          const window = new ListWindow<string>({ limit, reserve, compare, indexGraceMs: GRACE, bytesOf: () => bytes });
          let delivered = 0;
          const complete = (): void => {
            for (let after = window.lacksAfter; after !== undefined; after = window.lacksAfter)
              window.extend(list.read(window.room, after), after, list.nowMs);
          };
          const deliver = (from: number, to: number): void => {
            for (const { id, state } of list.records.slice(from, to)) {
              const { revision } = state;
              window.receive({ id, revision, row: rowOf(id, state), isInsert: revision === 1 }, list.nowMs);
            }
            complete();
          };
          let beganMs = 0;
          let isAgain = false;
          const readAgain = (): void => {
            if ((isAgain || list.nowMs < beganMs + GRACE) && list.nowMs < window.readAgainMs) return;
            isAgain = true;
            window.begin(list.read(window.most, undefined), list.nowMs);
            complete();
          };
          for (const [at, happening] of script.entries()) {
            if (at === Math.max(0, split)) {
              // Subscribed now: what was written before has no record for it.
              delivered = list.records.length;
              beganMs = list.nowMs;
              window.begin(list.read(window.most, undefined), list.nowMs);
              complete();
            }
            if (happening.kind === 'write') list.write(happening.id, happening.place);
            else if (happening.kind === 'pass') list.nowMs += happening.ms;
            else if (happening.kind === 'deliver') {
              const to = Math.min(list.records.length, delivered + happening.count);
              deliver(delivered, to);
              delivered = Math.max(delivered, to);
            } else if (at > split) {
              // A reader of the stream goes back, and gives all again from there.
              deliver(Math.max(0, delivered - happening.count), delivered);
            }
            if (at > split) readAgain();
          }
          if (script.length === 0) window.begin(list.read(window.most, undefined), list.nowMs);
          deliver(delivered, list.records.length);
          list.nowMs += GRACE + 1;
          readAgain();
          expect(window.rows.map(({ item }) => item)).toEqual(list.first(limit));
        },
      ),
    );
  });
});

describe('a window over a list that is written much', () => {
  const ROWS = 2_000;

  function watched(bytes: number) {
    const window = new ListWindow<string>({ limit: 1, reserve: 0, compare, indexGraceMs: GRACE, bytesOf: () => bytes });
    window.begin({ rows: [row('a', 1)], upTo: 'a' }, 0);
    return window;
  }

  function row(id: string, revision: number): WindowRow<string> {
    return { id, place: id, revision, item: id };
  }

  function kept(window: ListWindow<string>): number {
    return window['recent'].size;
  }

  it('keeps no row behind its end that the index shows by now, and no id that left', () => {
    const window = watched(1);
    for (let i = 0; i < ROWS; i++) {
      const id = `z${i}`;
      const state = i % 2 === 0 ? row(id, 1) : undefined;
      window.receive({ id, revision: 1, row: state, isInsert: true }, i * GRACE);
      expect(kept(window)).toBe(1);
    }
    window.prune(ROWS * GRACE);
    expect([kept(window), window['recentBytes'], window.readAgainMs]).toEqual([0, 0, Number.POSITIVE_INFINITY]);
  });

  it('keeps rows of a bounded size that come at once, and is read again where it lacks one of those it forgot', () => {
    const window = watched(40_000);
    for (let i = 0; i < ROWS; i++)
      window.receive({ id: `z${i}`, revision: 1, row: row(`z${i}`, 1), isInsert: true }, 0);
    expect(kept(window)).toBeLessThanOrEqual(MAX_RECENT_BYTES / 40_000);
    expect(window.readAgainMs).toBe(Number.POSITIVE_INFINITY);
    window.receive({ id: 'a', revision: 2, row: undefined, isInsert: false }, 0);
    window.extend({ rows: [], upTo: undefined }, 'a', 0);
    expect(window.readAgainMs).toBe(GRACE);
    window.begin({ rows: [row('z0', 1)], upTo: 'z0' }, GRACE);
    expect([window.rows.map(({ id }) => id), window.readAgainMs]).toEqual([['z0'], Number.POSITIVE_INFINITY]);
  });
});

describe('a record that comes while the index is read', () => {
  const row = (id: string): WindowRow<string> => ({ id, place: id, revision: 1, item: id });
  const windowOf = (limit: number) =>
    new ListWindow<string>({ limit, reserve: 0, compare, indexGraceMs: GRACE, bytesOf: () => 1 });

  it('may move the end of the known rows: the stretch after the old one is read anew', () => {
    const window = windowOf(2);
    window.begin({ rows: [row('b'), row('d')], upTo: 'd' }, 0);
    window.receive({ id: 'b', revision: 2, row: undefined, isInsert: false }, 0);
    window.read(0);
    expect(window.lacksAfter).toBe('d');
    for (const id of ['a', 'aa']) window.receive({ id, revision: 1, row: row(id), isInsert: true }, 0);
    window.extend({ rows: [row('e')], upTo: undefined }, 'd', 0);
    for (const id of ['a', 'aa']) window.receive({ id, revision: 2, row: undefined, isInsert: false }, 0);
    // Without what lies between the two ends, the list would lack d.
    expect([window.rows, window.lacksAfter]).toEqual([[], 'aa']);
  });

  it('is kept until then, if the index may not have shown it as the reading began', () => {
    const window = windowOf(1);
    window.receive({ id: 'b', revision: 1, row: row('b'), isInsert: true }, 0);
    window.read(GRACE - 1);
    window.receive({ id: 'c', revision: 1, row: row('c'), isInsert: true }, GRACE);
    window.begin({ rows: [], upTo: undefined }, GRACE - 1);
    expect(window.rows.map(({ id }) => id)).toEqual(['b']);
    window.prune(GRACE);
    expect([...window['recent'].keys()]).toEqual(['c']);
  });
});

describe('the steps between two states of a list', () => {
  const rows = fc
    .uniqueArray(fc.record({ id: fc.nat(6), place: fc.nat(9), item: fc.nat(1) }), { selector: ({ id }) => id })
    .map((all) =>
      all
        .map(({ id, place, item }) => ({ id: `${id}`, place: `${place}/${id}`, revision: 1, item }))
        .sort((left, right) => compare(left.place, right.place)),
    );

  it('make one of the other, taken one after the other', () => {
    fc.assert(
      fc.property(rows, rows, (before, after) => {
        const list: WindowRow<number>[] = [...before];
        for (const { type, row, at } of stepsBetween(before, after, (left, right) => left === right)) {
          if (type === 'enter') list.splice(at, 0, row);
          else if (type === 'leave') expect(list.splice(at, 1)[0]?.id).toBe(row.id);
          else list[at] = row;
        }
        expect(list.map(({ id, item }) => [id, item])).toEqual(after.map(({ id, item }) => [id, item]));
      }),
    );
  });

  it('are none where nothing differs', () => {
    fc.assert(
      fc.property(rows, (same) => {
        expect(stepsBetween(same, same, (left, right) => left === right)).toEqual([]);
      }),
    );
  });
});
