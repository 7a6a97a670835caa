/** Read units that a place takes without asking: above them a button says the price first. */
export const UNITS_AT_ONCE = 20;

/** Read units that the overview takes without asking for each of its two costly parts, about: the sample, and the count of the quarantine. */
export const OVERVIEW_UNITS = 100;

/**
 * Read units that a part of a sample of the table takes at most, about: the first one, which nobody asks for (100 are 800 KB of items), and each
 * one more, by a button that says the price.
 */
export const SAMPLE_UNITS = { first: OVERVIEW_UNITS, more: 512 } as const;

/** Read units that a Query of one partition takes at least, as most are eventually consistent. */
const UNITS_OF_A_QUERY = 0.5;

/** Read units of a list over `shards` shards, at least: each shard is asked. */
export function unitsOfShards(shards: number): number {
  return shards * UNITS_OF_A_QUERY;
}
