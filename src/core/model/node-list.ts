import type { SearchSettings } from './compiled.ts';
import { fillSettings, SEARCH_OPTIONS } from './options/option-tables.ts';

/**
 * The name of the search that lists all nodes of a type by id. Because it is empty, items have the sort key `~ix/` and
 * partitions such as `GOAL.#3`.
 */
export const NODE_LIST = '';

export function isNodeList({ name }: Pick<SearchSettings, 'name'>): boolean {
  return name === NODE_LIST;
}

/** Each partition takes 1,000 new items a second, and adds half a read unit to the cost of a page. */
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
