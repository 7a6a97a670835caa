import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { foldBatch, type ItemHistory } from '../../src/core/plan/fold.ts';
import { change } from '../support/records.ts';

const RUNS = { numRuns: 500 };

/** Records of few items, in stream order; keys that run together and odd ones among them. */
const stream: fc.Arbitrary<ChangeRecord[]> = fc
  .array(fc.tuple(fc.constantFrom('A', 'AB', '__proto__'), fc.constantFrom('BC', 'C', 'constructor')), {
    maxLength: 30,
  })
  .map((keys) => keys.map(([source, target], i) => change(source, target, undefined, {}, i + 1)));

/** Histories in a form that compares: the order of partitions and of items carries no meaning. */
function comparable(folded: ReadonlyMap<string, ItemHistory[]>): string[] {
  return [...folded.values()]
    .flat()
    .map(({ source, target, records }) => JSON.stringify([source, target, records.map(({ position }) => position)]))
    .sort();
}

/** Histories of batches that follow one another, put together. */
function joined(batches: readonly (readonly ChangeRecord[])[]): Map<string, ItemHistory[]> {
  const histories = new Map<string, ItemHistory>();
  for (const history of batches.flatMap((batch) => [...foldBatch(batch).values()].flat())) {
    const key = JSON.stringify([history.source, history.target]);
    const present = histories.get(key);
    if (present === undefined) histories.set(key, { ...history, records: [...history.records] });
    else present.records.push(...history.records);
  }
  return new Map([...histories].map(([key, history]) => [key, [history]]));
}

describe('foldBatch', () => {
  it('is independent of how a stream is cut into batches', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 30 }), { maxLength: 5 }), (records, cuts) => {
        const borders = [0, ...cuts.sort((left, right) => left - right), records.length];
        const batches = borders.slice(1).map((border, i) => records.slice(borders[i], border));
        expect(comparable(joined(batches))).toEqual(comparable(foldBatch(records)));
      }),
      RUNS,
    );
  });

  it('is independent of duplicates, wherever in the batch they stand', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 10 }), (records, copies) => {
        fc.pre(records.length > 0);
        const batch = [...records];
        for (const [which, where] of copies)
          batch.splice(where % (batch.length + 1), 0, records[which % records.length]!);
        expect(comparable(foldBatch(batch))).toEqual(comparable(foldBatch(records)));
      }),
      RUNS,
    );
  });

  it('is independent of the order across items, and keeps every record once', () => {
    fc.assert(
      fc.property(stream, fc.infiniteStream(fc.nat()), (records, dice) => {
        const batch = records
          .map((record) => ({ record, at: dice.next().value }))
          .sort((left, right) => left.at - right.at)
          .map(({ record }) => record);
        const folded = foldBatch(batch);
        expect(comparable(folded)).toEqual(comparable(foldBatch(records)));
        const kept = [...folded.values()].flat().flatMap((history) => history.records);
        expect(kept.map(({ position }) => position).sort()).toEqual(records.map(({ position }) => position).sort());
      }),
      RUNS,
    );
  });
});
