import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appliedCount, type Claim, type Coverage, coverageOf } from '../../src/stream/progress/claims.ts';

/**
 * The rules by which the mark of a shard moves, without table or stream: batches of one lane or two are applied, fail, are retried, are given
 * up without a word, come again at other borders, and lose their claims; a redrive and a sweep settle what is left; readers of the
 * stream go on from the mark that was saved. The mark never passes a record that is not applied.
 */

/** What goes wrong where a rule is left out. */
type Bug =
  | 'claims of two batches are joined'
  | 'claims are made before applying'
  | 'a failed batch claims all of it'
  | 'a claim is not counted'
  | 'a claim that begins before the mark counts'
  | 'the newest claim alone is looked at';

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
  private readonly lastClaims = new Map<number, Claim>();

  constructor(
    { lanes, laneOf }: Schedule,
    private readonly bug: Bug | undefined,
  ) {
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
        if (this.bug === 'claims are made before applying') this.claim(batch, one.lane);
        for (const record of applied) this.applied.add(record);
        queue.splice(0, applied.length);
        if (one.isClaimed) this.claim(this.bug === 'a failed batch claims all of it' ? batch : applied, one.lane);
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
        this.claim(batch, 0);
        return;
      }
      case 'redrive': {
        const batch = this.givenUp.shift() ?? [];
        for (const record of batch) this.applied.add(record);
        this.claim(batch, 2);
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
      this.claim(run, 3);
    }
  }

  look(): void {
    const { open, coverage, claims } = this.seen();
    if (this.bug === 'the newest claim alone is looked at') {
      const newest = Math.max(0, ...claims.map(({ last }) => Number(last)));
      this.mark = Math.max(this.mark, newest);
    } else this.mark += appliedCount(coverage, open);
    for (let record = 0; record < this.mark; record++) {
      if (!this.applied.has(record)) throw new Error(`the mark has passed ${record}, which is not applied`);
    }
  }

  private seen(): { open: { sequenceNumber: string }[]; coverage: Coverage; claims: Claim[] } {
    const open = Array.from({ length: RECORDS - this.mark }, (_, i) => ({ sequenceNumber: String(this.mark + i + 1) }));
    const claims = this.claims.map((claim): Claim => {
      if (this.bug === 'a claim is not counted') return { ...claim, isWhole: true };
      const isEarly = Number(claim.first) <= this.mark;
      return this.bug === 'a claim that begins before the mark counts' && isEarly ? { ...claim, isWhole: true } : claim;
    });
    return { open, coverage: coverageOf(open, claims), claims };
  }

  private claim(batch: readonly number[], by: number): void {
    if (batch.length === 0) return;
    const claim = { first: String(batch[0]! + 1), last: String(batch.at(-1)! + 1), records: batch.length };
    const before = this.lastClaims.get(by);
    if (this.bug === 'claims of two batches are joined' && before !== undefined) {
      before.last = String(Math.max(Number(before.last), Number(claim.last)));
      before.first = String(Math.min(Number(before.first), Number(claim.first)));
      before.isWhole = true;
      return;
    }
    this.lastClaims.set(by, claim);
    this.claims.push(claim);
  }
}

function run(one: Schedule, bug?: Bug): Shard {
  const shard = new Shard(one, bug);
  for (const next of one.steps) shard.take(next);
  shard.look();
  return shard;
}

const RUNS = 20_000;

describe('the mark of a shard', () => {
  it('never passes a record that is not applied, with one lane or two, and comes to the end once a sweep has been', () => {
    fc.assert(
      fc.property(schedule, (one) => {
        const shard = run(one);
        const { lanes } = one;
        if (lanes > 1) return;
        shard.sweep();
        shard.look();
        expect(shard.mark).toBe(RECORDS);
      }),
      { numRuns: RUNS },
    );
  });

  it.each<Bug>([
    'claims of two batches are joined',
    'claims are made before applying',
    'a failed batch claims all of it',
    'a claim is not counted',
    'a claim that begins before the mark counts',
    'the newest claim alone is looked at',
  ])('is seen to be wrong where %s', (bug) => {
    expect(() =>
      fc.assert(
        fc.property(schedule, (one) => {
          run(one, bug);
        }),
        { numRuns: RUNS },
      ),
    ).toThrow('Property failed');
  });
});
