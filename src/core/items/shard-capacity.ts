/** Write units per second that one partition key takes. */
const PARTITION_WCU = 1_000;
/** A changed value is removed from the index in one place and added in another. */
const WRITES_OF_A_CHANGE = 2;
/** Values aren't spread evenly, so half of a shard's capacity is kept free. */
const HEADROOM = 2;

/** Shards needed for so many changes per second, with half of the capacity kept free. */
export function shardsFor(changesPerSecond: number): number {
  return Math.max(1, Math.ceil((changesPerSecond * WRITES_OF_A_CHANGE * HEADROOM) / PARTITION_WCU));
}

/** Changes per second that a search takes if its busiest shard has this share (0 to 1). */
export function changesPerSecondOf(share: number): number {
  return Math.floor(PARTITION_WCU / WRITES_OF_A_CHANGE / share);
}
