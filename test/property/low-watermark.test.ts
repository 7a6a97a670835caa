import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appliedCount, type Claim, type Coverage, coverageOf } from '../../src/stream/progress/claims.ts';
import { runs } from '../support/extent.ts';
import { SIZES } from '../support/sizes.ts';

/**
 * The rules by which the mark of a shard moves, without table or stream: batches of one lane or two are applied, fail, are retried, are given
 * up without a word, come again at other borders, and lose their claims; a redrive and a sweep settle what is left; readers of the
 * stream go on from the mark that was saved. The mark never passes a record that is not applied.
 */

type Step =
  | { kind: 'batch'; lane: number; size: number; applied: number; isClaimed: boolean }
  | { kind: 'give-up'; lane: number; size: number }
  | { kind: 'replay'; from: number; size: number }
  | { kind: 'redrive' }
  | { kind: 'sweep' }
  | { kind: 'look' };

const RECORDS = 12;
const lane = fc.nat({ max: 1 });
const size = fc.integer({ min: 1, max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      ...{ lane, size, applied: fc.nat({ max: 5 }), isClaimed: fc.boolean() },
    }),
    weight: 6,
  },
  fc.record({ kind: fc.constant('give-up' as const), lane, size }),
  fc.record({ kind: fc.constant('replay' as const), from: fc.nat({ max: RECORDS - 1 }), size }),
  fc.constant({ kind: 'redrive' as const }),
  fc.constant({ kind: 'sweep' as const }),
  { arbitrary: fc.constant({ kind: 'look' as const }), weight: 4 },
);
const schedule = fc.record({
  lanes: fc.integer({ min: 1, max: 2 }),
  laneOf: fc.array(lane, { minLength: RECORDS, maxLength: RECORDS }),
  steps: fc.array(step, { maxLength: 30 }),
});
type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

class Shard {
  readonly applied = new Set<number>();
  mark = 0;
  private readonly claims: Claim[] = [];
  private readonly queues: number[][];
  private readonly givenUp: number[][] = [];
  private readonly invoked: number[][] = [];

  constructor({ lanes, laneOf }: Schedule) {
    this.queues = Array.from({ length: lanes }, (_, number) =>
      Array.from({ length: RECORDS }, (_, record) => record).filter((record) => laneOf[record]! % lanes === number),
    );
  }

  take(one: Step): void {
    switch (one.kind) {
      case 'batch': {
        const queue = this.queues[one.lane % this.queues.length]!;
        const batch = queue.slice(0, one.size);
        const applied = batch.slice(0, one.applied);
        this.invoked.push(batch);
        for (const record of applied) this.applied.add(record);
        queue.splice(0, applied.length);
        if (one.isClaimed) this.claim(applied);
        return;
      }
      case 'give-up': {
        const given = this.queues[one.lane % this.queues.length]!.splice(0, one.size);
        if (given.length > 0) this.givenUp.push(given);
        return;
      }
      case 'replay': {
        // What was invoked before comes again without its first and last records.
        const batch = this.invoked.at(one.from % Math.max(1, this.invoked.length))?.slice(one.from % 2, one.size) ?? [];
        for (const record of batch) this.applied.add(record);
        this.claim(batch);
        return;
      }
      case 'redrive': {
        const batch = this.givenUp.shift() ?? [];
        for (const record of batch) this.applied.add(record);
        this.claim(batch);
        return;
      }
      case 'sweep':
        this.sweep();
        return;
      case 'look':
        this.look();
        return;
    }
  }

  /** Settles what nobody claims, as it lies in the stream. */
  sweep(): void {
    const { open, coverage } = this.seen();
    if (coverage.hasLanes) return;
    for (const { start, end } of coverage.free) {
      const run = open.slice(start, end).map(({ sequenceNumber }) => Number(sequenceNumber) - 1);
      for (const record of run) this.applied.add(record);
      this.claim(run);
    }
  }

  look(): void {
    const { open, coverage } = this.seen();
    this.mark += appliedCount(coverage, open);
    for (let record = 0; record < this.mark; record++) {
      if (!this.applied.has(record)) throw new Error(`the mark has passed ${record}, which is not applied`);
    }
  }

  private seen(): { open: { sequenceNumber: string }[]; coverage: Coverage } {
    const open = Array.from({ length: RECORDS - this.mark }, (_, i) => ({ sequenceNumber: String(this.mark + i + 1) }));
    return { open, coverage: coverageOf(open, this.claims) };
  }

  private claim(batch: readonly number[]): void {
    if (batch.length === 0) return;
    this.claims.push({ first: String(batch[0]! + 1), last: String(batch.at(-1)! + 1), records: batch.length });
  }
}

describe('the mark of a shard', () => {
  it('never passes a record that is not applied, with one lane or two, and comes to the end once a sweep has been', () => {
    fc.assert(
      fc.property(schedule, (one) => {
        const shard = new Shard(one);
        for (const step of one.steps) shard.take(step);
        shard.look();
        if (one.lanes > 1) return;
        shard.sweep();
        shard.look();
        expect(shard.mark).toBe(RECORDS);
      }),
      { numRuns: runs(SIZES['low watermark']) },
    );
  });
});
