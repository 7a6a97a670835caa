/** Write units that one partition key takes a second. */
const PARTITION_WCU = 1_000;
/** A value that changes is taken out of the index in one place and put in in another. */
const WRITES_OF_A_CHANGE = 2;
/** Values are not spread evenly: half of what a shard takes is kept free. */
const HEADROOM = 2;

/** The number of shards that a search needs for a number of changes a second, with as much again kept free. */
export function shardsFor(changesPerSecond: number): number {
  return Math.max(1, Math.ceil((changesPerSecond * WRITES_OF_A_CHANGE * HEADROOM) / PARTITION_WCU));
}

/** Changes a second that a search takes of which the busiest shard has this share, 0 to 1. */
export function changesPerSecondOf(share: number): number {
  return Math.floor(PARTITION_WCU / WRITES_OF_A_CHANGE / share);
}
