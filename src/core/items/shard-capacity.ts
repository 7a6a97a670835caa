/** DynamoDB's limit per partition and second. */
export const PARTITION_WCU = 1_000;
/** A changed value is removed in one place and added in another. */
const WRITES_OF_A_CHANGE = 2;
/** Values aren't spread evenly over shards. */
const HEADROOM = 2;
/** Changes per second to plan for in each shard. */
export const SHARD_CHANGES = PARTITION_WCU / WRITES_OF_A_CHANGE / HEADROOM;

export function shardsFor(changesPerSecond: number): number {
  return Math.max(1, Math.ceil(changesPerSecond / SHARD_CHANGES));
}

/** `share` is the fraction of the search's values that are in its busiest shard, from 0 to 1. */
export function changesPerSecondOf(share: number): number {
  return Math.floor(PARTITION_WCU / WRITES_OF_A_CHANGE / share);
}
