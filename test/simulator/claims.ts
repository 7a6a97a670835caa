import { appliedCount, type Claim, claimOf, coverageOf } from '../../src/projecting/progress/claims.ts';
import type { Shard, ShardRecord } from './streams.ts';
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

  constructor(private readonly world: World) {}

  /** A record has come into a shard. */
  arrived(shard: Shard, record: ShardRecord): void {
    const known = this.shards.get(shard);
    if (known === undefined) this.shards.set(shard, [record]);
    else known.push(record);
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
