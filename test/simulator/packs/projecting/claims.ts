import { type Item, stringOf } from '../../../../src/core/items/attribute-value.ts';
import { appliedCount, type Claim, claimOf, coverageOf, parseClaims } from '../../../../src/stream/progress/claims.ts';
import type { Shard, ShardRecord } from './streams.ts';
import { RETENTION } from './time.ts';
import type { World } from './world.ts';

/**
 * What the consumers of a schedule claim, and how far the mark of each shard has come by it: with batches that fail in part, are given up,
 * come again at other borders, and with one lane of a shard or several. The mark may never pass a record that no invocation has
 * applied.
 */
export class Claims {
  private readonly claims: Claim[] = [];
  private readonly applied = new Set<ShardRecord>();
  private readonly shards = new Map<Shard, ShardRecord[]>();
  private readonly all = new Map<Shard, ShardRecord[]>();

  constructor(private readonly world: World) {}

  /** A record has come into a shard. */
  arrived(shard: Shard, record: ShardRecord): void {
    for (const records of [this.shards, this.all]) {
      const known = records.get(shard);
      if (known === undefined) records.set(shard, [record]);
      else known.push(record);
    }
  }

  /** A sweep has reconciled the records that an item of claims names, and is about to write it. */
  sweep(item: Item): void {
    for (const { first, last } of parseClaims(stringOf(item['claims']) ?? '')) {
      for (const records of this.all.values()) {
        const placeOf = (number: string): number =>
          records.findIndex(
            ({ change }) => change.stream === stringOf(item['stream']) && change.sequenceNumber === number,
          );
        const [start, end] = [placeOf(first), placeOf(last)];
        if (start < 0 || end < 0) continue;
        for (const record of records.slice(start, end + 1)) this.applied.add(record);
      }
    }
  }

  /** A record that was made before a time, that nobody has applied, and that is still in the stream. */
  unappliedBefore(atMs: number): ShardRecord | undefined {
    const keptMs = this.world.agenda.now - RETENTION;
    for (const records of this.shards.values()) {
      const found = records.find((record) => record.atMs < atMs && record.atMs > keptMs && !this.applied.has(record));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** An invocation has applied the first records of its batch. */
  claim(records: readonly ShardRecord[]): void {
    for (const record of records) this.applied.add(record);
    this.claims.push(...claimOf(records.map(({ change }) => change)));
    this.look();
  }

  /** Moves the marks as a walk of the stream does. */
  private look(): void {
    for (const [{ id }, records] of this.shards) {
      const open = records.map(({ change }) => change);
      const claims = this.claims.filter(({ stream }) => stream === open[0]?.stream);
      const coverage = coverageOf(open, claims);
      if (coverage.hasLanes) this.world.count('looks at several lanes');
      const passed = records.splice(0, appliedCount(coverage, open));
      this.world.count('records that the mark has passed', passed.length);
      for (const record of passed) {
        if (this.applied.has(record)) continue;
        this.world.fail('mark', `the mark of ${id} has passed ${record.change.sequenceNumber}, which is not applied`);
      }
    }
  }
}
