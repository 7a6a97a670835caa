import type { Shard } from './source.ts';

/** A child is read after its parent's end, because both may have records of one item. */
export function readableShards(shards: readonly Shard[], isFinished: (shardId: string) => boolean): Shard[] {
  const listed = new Set(shards.map(({ shardId }) => shardId));
  return shards.filter(
    ({ shardId, parentShardId }) =>
      !isFinished(shardId) && (parentShardId === undefined || !listed.has(parentShardId) || isFinished(parentShardId)),
  );
}

export function parentIdsOf(shards: readonly Shard[]): ReadonlySet<string | undefined> {
  return new Set(shards.map(({ parentShardId }) => parentShardId));
}

export function waitingShards(shards: readonly Shard[], isFinished: (shardId: string) => boolean): number {
  const unfinished = shards.filter(({ shardId }) => !isFinished(shardId)).length;
  return unfinished - readableShards(shards, isFinished).length;
}

export function vanishedShards(known: Iterable<string>, shards: readonly Shard[]): string[] {
  const listed = new Set(shards.map(({ shardId }) => shardId));
  return [...known].filter((shardId) => !listed.has(shardId));
}
