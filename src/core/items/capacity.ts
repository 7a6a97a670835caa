export const WRITE_UNIT_BYTES = 1024;
export const READ_UNIT_BYTES = 4096;

export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / WRITE_UNIT_BYTES));
}

export const EVENTUAL_READ_UNIT_BYTES = 2 * READ_UNIT_BYTES;

export function readUnits(bytes: number, isConsistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (isConsistent ? 1 : 0.5);
}

/** DynamoDB's limit per partition and second. */
export const PARTITION_WCU = 1_000;
/** A changed value is deleted from one index key and inserted at another. */
const WRITES_OF_A_CHANGE = 2;
/** Values aren't spread evenly over shards. */
const HEADROOM = 2;
/** Changes per second to plan for in each shard. */
export const SHARD_CHANGES = PARTITION_WCU / WRITES_OF_A_CHANGE / HEADROOM;

export function shardsFor(changesPerSecond: number): number {
  return Math.max(1, Math.ceil(changesPerSecond / SHARD_CHANGES));
}

/** `share` is the fraction of a search's values that the busiest shard holds. */
export function changesPerSecondOf(share: number): number {
  return Math.floor(PARTITION_WCU / WRITES_OF_A_CHANGE / share);
}
