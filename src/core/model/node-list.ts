import type { SearchSettings } from './compiled.ts';
import { fillSettings, SEARCH_OPTIONS } from './options/option-tables.ts';

/** A search by id that every node is in. Its empty name makes items `~ix/` under `GOAL.#3`. */
export const NODE_LIST = '';

export function isNodeList({ name }: Pick<SearchSettings, 'name'>): boolean {
  return name === NODE_LIST;
}

/** A partition takes 1,000 new items a second; each costs a page half a read unit. */
const SHARDS = 10;

export function nodeList(type: string): SearchSettings {
  return {
    ...fillSettings(SEARCH_OPTIONS, { shards: SHARDS, shardBy: 'source' }),
    indexPartition: `${type}.${NODE_LIST}`,
    name: NODE_LIST,
    // The ids at the end of the sort keys decide the order.
    order: { kind: 'derive', compute: () => '', version: 1 },
  };
}
