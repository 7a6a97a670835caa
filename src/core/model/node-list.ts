import type { SearchSettings } from './compiled.ts';
import { fillSettings, SEARCH_OPTIONS } from './options/option-tables.ts';

/**
 * The list of all nodes of a type: a search by id that every node is in. Its name is empty, which no declared search
 * can have, so its items are `~ix/` under `GOAL.#3`.
 */
export const NODE_LIST = '';

export function isNodeList({ name }: Pick<SearchSettings, 'name'>): boolean {
  return name === NODE_LIST;
}

/** An index partition takes 1,000 new items a second; each shard costs a page half a read unit. */
const SHARDS = 10;

export function nodeList(type: string): SearchSettings {
  return {
    ...fillSettings(SEARCH_OPTIONS, { shards: SHARDS, shardBy: 'source' }),
    indexPartition: `${type}.${NODE_LIST}`,
    name: NODE_LIST,
    // All values are empty, so the ids at the end of the sort keys decide the order.
    order: { kind: 'derive', compute: () => '', version: 1 },
  };
}
