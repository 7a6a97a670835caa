/** Read units that a place takes without asking: above them a button says the price first. */
export const UNITS_AT_ONCE = 20;

/** Read units that a Query of one partition takes at least, as most are eventually consistent. */
const UNITS_OF_A_QUERY = 0.5;

/** Read units of a list over `shards` shards, at least: each shard is asked. */
export function unitsOfShards(shards: number): number {
  return shards * UNITS_OF_A_QUERY;
}
