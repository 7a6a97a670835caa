import type { Shard } from './source.ts';

interface ShardHorizon {
  parent: string | undefined;
  /** All records from before this time have been received; undefined if unknown. */
  throughMs: number | undefined;
  isEnded: boolean;
}

export class Horizon {
  private readonly shards = new Map<string, ShardHorizon>();
  private listedMs: number | undefined;
  private isDisabled = false;

  /** @param lateMs the longest delay, in milliseconds, until a record can be read. */
  constructor(private readonly lateMs: number) {}

  listed(shards: readonly Shard[], atMs: number, isDisabled: boolean): void {
    const before = this.listedMs;
    this.listedMs = atMs;
    this.isDisabled = isDisabled;
    const listed = new Set(shards.map(({ shardId }) => shardId));
    for (const shardId of this.shards.keys()) if (!listed.has(shardId)) this.shards.delete(shardId);
    for (const { shardId, parentShardId } of shards) {
      if (this.shards.has(shardId)) continue;
      // A child shard begins where its parent ends. Other new shards didn't exist at the previous listing.
      const parent = parentShardId === undefined ? undefined : this.shards.get(parentShardId);
      const throughMs = parent === undefined ? before : parent.throughMs;
      this.shards.set(shardId, { parent: parentShardId, throughMs, isEnded: false });
    }
  }

  noteRecord(shardId: string, stampMs: number): void {
    const shard = this.shards.get(shardId);
    if (shard !== undefined) shard.throughMs = stampMs;
  }

  noteEmptyPages(shardId: string, atMs: number): void {
    const shard = this.shards.get(shardId);
    // A record made within `lateMs` before `atMs` may still appear.
    // rule: empty-page-says-nothing-of-late-records
    const throughMs = atMs - this.lateMs;
    if (shard !== undefined) shard.throughMs = Math.max(shard.throughMs ?? throughMs, throughMs);
  }

  noteEnd(shardId: string): void {
    const shard = this.shards.get(shardId);
    if (shard !== undefined) shard.isEnded = true;
  }

  throughMsOf(shardId: string): number | undefined {
    return this.shards.get(shardId)?.throughMs;
  }

  /**
   * Returns the earliest of the shards' times and the last listing's time, in milliseconds since 1970; undefined if one
   * is unknown.
   */
  leastThrough(): { atMs: number; shardId?: string } | undefined {
    if (this.listedMs === undefined) return undefined;
    // rule: time-is-not-after-the-last-listing
    let least: { atMs: number; shardId?: string } = { atMs: this.listedMs };
    const parents = new Set([...this.shards.values()].map(({ parent }) => parent));
    for (const [shardId, { throughMs, isEnded }] of this.shards) {
      // rule: closed-shard-counts-until-its-children-are-known
      if (isEnded && (this.isDisabled || parents.has(shardId))) continue;
      if (throughMs === undefined) return undefined;
      // rule: every-shard-holds-the-time
      if (throughMs < least.atMs) least = { atMs: throughMs, shardId };
    }
    return least;
  }
}
