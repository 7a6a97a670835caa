import type { Shard } from './source.ts';

/** How far the shards of a stream are received, by the times of their records. */

interface ShardHorizon {
  parent: string | undefined;
  /** Every record of the shard made before this time was received; undefined: nothing is known yet. */
  throughMs: number | undefined;
  isEnded: boolean;
}

/** The times up to which the records of each shard were received. */
export class Horizon {
  private readonly shards = new Map<string, ShardHorizon>();
  private listedMs: number | undefined;
  private isDisabled = false;

  /** @param lateMs the longest time until a record can be read, in milliseconds. */
  constructor(private readonly lateMs: number) {}

  /**
   * Takes in a listing of the stream.
   *
   * @param atMs the observer's clock before the listing.
   */
  listed(shards: readonly Shard[], atMs: number, isDisabled: boolean): void {
    const before = this.listedMs;
    this.listedMs = atMs;
    this.isDisabled = isDisabled;
    const noteListing = new Set(shards.map(({ shardId }) => shardId));
    for (const shardId of this.shards.keys()) if (!noteListing.has(shardId)) this.shards.delete(shardId);
    for (const { shardId, parentShardId } of shards) {
      if (this.shards.has(shardId)) continue;
      // A shard begins where its parent ends. Any other new shard was not there at the listing before.
      const parent = parentShardId === undefined ? undefined : this.shards.get(parentShardId);
      const throughMs = parent === undefined ? before : parent.throughMs;
      this.shards.set(shardId, { parent: parentShardId, throughMs, isEnded: false });
    }
  }

  /** A record of a shard was received. */
  noteRecord(shardId: string, stampMs: number): void {
    const shard = this.shards.get(shardId);
    if (shard !== undefined) shard.throughMs = stampMs;
  }

  /**
   * A shard was read to where it ends now.
   *
   * @param atMs the observer's clock before the read.
   */
  noteEmptyPages(shardId: string, atMs: number): void {
    const shard = this.shards.get(shardId);
    // A record that was made just before may be shown later.
    // rule: empty-page-says-nothing-of-late-records
    const throughMs = atMs - this.lateMs;
    if (shard !== undefined) shard.throughMs = Math.max(shard.throughMs ?? throughMs, throughMs);
  }

  /** A closed shard was read to its end. */
  noteEnd(shardId: string): void {
    const shard = this.shards.get(shardId);
    if (shard !== undefined) shard.isEnded = true;
  }

  /** Every record of a shard made before this time was received, in milliseconds since 1970; undefined: nothing is known yet. */
  throughMsOf(shardId: string): number | undefined {
    return this.shards.get(shardId)?.throughMs;
  }

  /**
   * The least of the shards' times and of the time of the last listing, in milliseconds since 1970, and the shard that holds it.
   * Undefined: a shard is not read yet.
   */
  leastThrough(): { atMs: number; shardId?: string } | undefined {
    if (this.listedMs === undefined) return undefined;
    // A shard that was opened since the last listing is not read yet.
    // rule: time-is-not-after-the-last-listing
    let least: { atMs: number; shardId?: string } = { atMs: this.listedMs };
    const parents = new Set([...this.shards.values()].map(({ parent }) => parent));
    for (const [shardId, { throughMs, isEnded }] of this.shards) {
      // Until its children are known, nobody reads on where a closed shard ended.
      // rule: closed-shard-counts-until-its-children-are-known
      if (isEnded && (this.isDisabled || parents.has(shardId))) continue;
      if (throughMs === undefined) return undefined;
      // rule: every-shard-holds-the-time
      if (throughMs < least.atMs) least = { atMs: throughMs, shardId };
    }
    return least;
  }
}
