/** RCU that the page spends on a query or count without asking. */
export const UNITS_AT_ONCE = 20;

/** RCU limit of each costly part of the overview: the sample and the quarantine's count. */
export const OVERVIEW_UNITS = 100;

/** RCU limit of a sample's first part, which is read without asking, and of each further part. */
export const SAMPLE_UNITS = { first: OVERVIEW_UNITS, more: 512 } as const;

const UNITS_OF_A_QUERY = 0.5;

export function unitsOfShards(shards: number): number {
  return shards * UNITS_OF_A_QUERY;
}
