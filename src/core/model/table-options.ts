import type { IndexName } from '../items/derived-item.ts';

/** Names of the table, its attributes and its indexes, for tables that exist already. */
export interface TableOptions {
  name: string;
  /** The attribute that is the partition key. Default `'source'`. */
  partitionKey?: string;
  /** The attribute that is the sort key. Default `'target'`. */
  sortKey?: string;
  /** The attribute that DynamoDB's TTL uses. Default `'expiresAt'`. */
  ttl?: string;
  /**
   * How many indexes the model may use, from 1 to 20. That many orders of an edge type, or searches of a node, can
   * share an index item. Default 2. Or the names of the indexes, optionally with their key attributes: by default
   * `gsi0` with `gsi0pk` and `gsi0sk`, and so on. A different number changes the model: `edgeloom migrate` rebuilds the
   * items.
   */
  indexes?: number | { readonly [Index in IndexName]?: string | IndexOptions };
  /**
   * Names and key attributes of indexes for native orders and searches, such as indexes that a table already has:
   * `{ ByTarget: { partitionKey: 'target', sortKey: 'day' } }`. Such an index holds all attributes. Default: named by
   * their keys.
   */
  nativeIndexes?: Readonly<Record<string, Required<Omit<IndexOptions, 'name'>>>>;
}

/** Names of an index and of its key attributes. */
export interface IndexOptions {
  name?: string;
  partitionKey?: string;
  sortKey?: string;
}
