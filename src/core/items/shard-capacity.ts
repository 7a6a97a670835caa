const PARTITION_WCU = 1_000;
/** A changed value is removed in one place and added in another. */
const WRITES_OF_A_CHANGE = 2;
/** Values aren't spread evenly over shards. */
const HEADROOM = 2;

export function shardsFor(changesPerSecond: number): number {
  return Math.max(1, Math.ceil((changesPerSecond * WRITES_OF_A_CHANGE * HEADROOM) / PARTITION_WCU));
}

/** `share` is the part of the search's values that its busiest shard has (0 to 1). */
export function changesPerSecondOf(share: number): number {
  return Math.floor(PARTITION_WCU / WRITES_OF_A_CHANGE / share);
}
