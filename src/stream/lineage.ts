import type { Shard } from './source.ts';

/**
 * Lineage: when a shard closes, others go on from it. Records of one item may be in the parent and in a child, so a
 * child is read only when its parent was read to its end.
 */

/** The shards that may be read now: not finished, and their parent finished or gone from the stream. */
export function readableShards(shards: readonly Shard[], isFinished: (shardId: string) => boolean): Shard[] {
  const listed = new Set(shards.map(({ shardId }) => shardId));
  return shards.filter(
    ({ shardId, parentShardId }) =>
      !isFinished(shardId) && (parentShardId === undefined || !listed.has(parentShardId) || isFinished(parentShardId)),
  );
}

/** How many shards have to wait for their parent. */
export function waitingShards(shards: readonly Shard[], isFinished: (shardId: string) => boolean): number {
  const unfinished = shards.filter(({ shardId }) => !isFinished(shardId)).length;
  return unfinished - readableShards(shards, isFinished).length;
}

/** The ids among `known` that the stream does not list any more. */
export function vanishedShards(known: Iterable<string>, shards: readonly Shard[]): string[] {
  const listed = new Set(shards.map(({ shardId }) => shardId));
  return [...known].filter((shardId) => !listed.has(shardId));
}
