/** Anything that costs more RCU waits for a button with the price. */
export const UNITS_AT_ONCE = 20;

/** RCU of each costly part of the overview: the sample, and the count of the quarantine. */
export const OVERVIEW_UNITS = 100;

/** RCU of the first part of a sample, which nobody asks for, and of each further part. */
export const SAMPLE_UNITS = { first: OVERVIEW_UNITS, more: 512 } as const;

/** RCU of one Query, at least. */
const UNITS_OF_A_QUERY = 0.5;

/** RCU at least: each shard is queried. */
export function unitsOfShards(shards: number): number {
  return shards * UNITS_OF_A_QUERY;
}
