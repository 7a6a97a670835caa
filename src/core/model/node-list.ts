import type { SearchSettings } from './compiled.ts';
import { fillSettings, SEARCH_OPTIONS } from './options/option-tables.ts';

/**
 * The list of all nodes of a type: a search that every node is in, by its id. It has the empty name, which no search of a
 * model can have, so its items are `~ix/` under `GOAL.#3`.
 */
export const NODE_LIST = '';

/** Tells the list of a node type from its searches. */
export function isNodeList({ name }: Pick<SearchSettings, 'name'>): boolean {
  return name === NODE_LIST;
}

/** A partition of an index takes 1,000 new items a second; each shard costs a page half a read unit. */
const SHARDS = 10;

/** The list of a node type. */
export function nodeList(type: string): SearchSettings {
  return {
    ...fillSettings(SEARCH_OPTIONS, { shards: SHARDS, shardBy: 'source' }),
    indexPartition: `${type}.${NODE_LIST}`,
    name: NODE_LIST,
    // Every value is empty, so the ids at the end of the sort keys decide the order.
    order: { kind: 'derive', compute: () => '', version: 1 },
  };
}
