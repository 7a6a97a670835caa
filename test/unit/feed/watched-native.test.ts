import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WindowRow } from '../../../src/client/feed/list-window.ts';
import { nativeChanges } from '../../../src/client/feed/native-changes.ts';
import { WatchedList } from '../../../src/client/feed/watched-list.ts';
import { resolveInboundQuery } from '../../../src/client/read/lists/inbound.ts';
import { readContext } from '../../../src/client/read/reader-options.ts';
import { type Item, numberOf, stringOf } from '../../../src/core/items/attribute-value.ts';
import { viewAttributes } from '../../../src/core/items/stored-view.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, number } from '../../../src/core/model/schema.ts';
import type { NativeQueryRequest, QueryResult, Store } from '../../../src/core/store-port.ts';
import type { ChangedItem } from '../../../src/stream/changed-items.ts';
import { nativePage } from '../../simulator/kernel/native-page.ts';

/**
 * A watched native list while its edges are written at random. The index shows each of them as it was up to `GRACE` ago, and those with one
 * value in an order of its own; records come late and repeatedly. At rest the list is a beginning of all edges by their values.
 */

const graph = defineGraph({
  table: 'library',
  nodes: { BOOK: node({}), READER: node({}) },
  edges: {
    LOAN: edge({
      ...{ from: 'BOOK', to: 'READER', edgeSet: false },
      inbound: { native: true, orders: { byFine: number('fine') }, project: ['note'] },
    }),
  },
});
const GRACE = 10;
const TARGET = 'LOAN-READER-1';

interface State {
  atMs: number;
  image: Item | undefined;
}

/** The edges of a node, their index and their stream. */
class Loans {
  nowMs = 100;
  readonly records: { change: ChangedItem; sequence: number }[] = [];
  private readonly states = new Map<string, State[]>();

  /** @param lag draws how old the state of an edge is that the index shows. */
  constructor(private readonly lag: () => number) {}

  write(book: number, fine: number | undefined): void {
    const source = `BOOK-${book}`;
    const states = this.states.get(source) ?? [];
    const sequence = this.records.length + 1;
    const image: Item | undefined =
      fine === undefined
        ? undefined
        : {
            ...{ source: { S: source }, target: { S: TARGET }, fine: { N: String(fine) } },
            note: { S: String(sequence) },
          };
    const change = { source, target: TARGET, oldImage: states.at(-1)?.image, newImage: image };
    this.records.push({ change, sequence });
    this.states.set(source, [...states, { atMs: this.nowMs, image }]);
  }

  /** The edges as of up to a lag ago. */
  private images(lagMs: () => number): Item[] {
    return [...this.states.values()].flatMap((states): Item[] => {
      const asOf = this.nowMs - lagMs();
      const image = states.findLast(({ atMs }) => atMs <= asOf)?.image;
      return image === undefined ? [] : [image];
    });
  }

  page(request: NativeQueryRequest): QueryResult {
    return nativePage(graph.table, request, this.images(this.lag));
  }

  now(): Item[] {
    return this.images(() => 0);
  }
}

const happenings = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('write' as const),
      book: fc.nat(11),
      fine: fc.option(fc.nat(2), { nil: undefined, freq: 1 }),
    }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: GRACE }) }),
    fc.record({ kind: fc.constant('deliver' as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('replay' as const), count: fc.integer({ min: 1, max: 6 }) }),
  ),
  { maxLength: 60, size: 'max' },
);

const fineOf = (item: Item): number => Number(numberOf(item['fine']));

/** Calls that no list needs for one turn. */
const MOST_CALLS = 1_000;

/** A list that is watched, with what begins it and what tells it records. */
function watched(loans: Loans, limit: number, isReverse: boolean, maxRcu?: number) {
  let calls = 0;
  const queryNative = async (request: NativeQueryRequest): Promise<QueryResult> => {
    calls += 1;
    if (calls > MOST_CALLS) throw new Error('The list is read without end.');
    return loans.page(request);
  };
  const context = readContext(graph, { store: { queryNative } as unknown as Store });
  const resolved = resolveInboundQuery(context, 'READER-1', 'LOAN', {});
  const query = { ...resolved.list, reverse: isReverse, limit, maxRcu };
  const list = new WatchedList<unknown>({ ...query, resultOf: (item) => item }, GRACE);
  const now = (): number => loans.nowMs;
  const begin = (): Promise<void> => list.begin(context, now);
  const deliver = async (from: number, to: number): Promise<void> => {
    for (const { change, sequence } of loans.records.slice(Math.max(0, from), to)) {
      const record = { dynamodb: { SequenceNumber: String(sequence) } };
      for (const told of nativeChanges(graph, record, change)) list.receive(told, loans.nowMs);
    }
    await list.complete(context, now);
  };
  return { list, begin, deliver };
}

describe('a watched native list', () => {
  it('reads on where its index still shows more rows that have left than it knows', async () => {
    const loans = new Loans(() => GRACE);
    const { list, begin, deliver } = watched(loans, 2, false);
    for (let book = 0; book < 12; book++) loans.write(book, book);
    loans.nowMs += GRACE;
    await begin();
    for (let book = 0; book < 9; book++) loans.write(book, undefined);
    await deliver(12, 21);
    expect(list.rows.map(({ item }) => stringOf(item['source']))).toEqual(['BOOK-9', 'BOOK-10']);
  });

  it('is a beginning of all rows by their values once all records have come, as they are now', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ book: fc.nat(11), fine: fc.nat(2) }), { maxLength: 30, size: 'max' }),
        happenings,
        fc.integer({ min: 1, max: 3 }),
        fc.boolean(),
        fc.infiniteStream(fc.nat(GRACE)),
        async (before, script, limit, isReverse, lags) => {
          const loans = new Loans(() => lags.next().value);
          const { list, begin, deliver } = watched(loans, limit, isReverse);
          for (const { book, fine } of before) loans.write(book, fine);
          // The index has them all.
          loans.nowMs += GRACE + 1;
          await begin();
          let delivered = loans.records.length;
          for (const happening of script) {
            if (happening.kind === 'write') loans.write(happening.book, happening.fine);
            else if (happening.kind === 'pass') loans.nowMs += happening.ms;
            else if (happening.kind === 'replay') await deliver(delivered - happening.count, delivered);
            else {
              const to = Math.min(loans.records.length, delivered + happening.count);
              await deliver(delivered, to);
              delivered = to;
            }
          }
          await deliver(delivered, loans.records.length);
          const all = loans.now();
          const values = all.map(fineOf).sort((left, right) => (isReverse ? right - left : left - right));
          const notes = new Map(all.map((item) => [stringOf(item['source']), stringOf(item['note'])]));
          const shown = list.rows.map((row: WindowRow<Item>) => {
            const source = stringOf(row.item['source']);
            // As it is now: the note changes with each write.
            expect(stringOf(viewAttributes(row.item)?.['note'])).toBe(notes.get(source));
            return fineOf(all.find((item) => stringOf(item['source']) === source)!);
          });
          expect(shown).toEqual(values.slice(0, limit));
          const places = list.rows.map(({ place }) => place);
          expect(places).toEqual(isReverse ? places.toSorted().reverse() : places.toSorted());
        },
      ),
      { numRuns: 400 },
    );
  });
});
