import type { IndexName } from '../items/derived-item.ts';

/** Names of the table and its attributes, for existing tables. */
export interface TableOptions {
  name: string;
  /** Default `'source'`. */
  partitionKey?: string;
  /** Default `'target'`. */
  sortKey?: string;
  /** The attribute that DynamoDB's TTL uses. Default `'expiresAt'`. */
  ttl?: string;
  /**
   * How many indexes the model may use, from 1 to 20: as many orders of an edge type, or searches of a node, share an
   * index item. Default 2. Or their names, optionally with key attributes: by default `gsi0` with `gsi0pk` and
   * `gsi0sk`, and so on. Another number changes the model: `edgeloom migrate` rebuilds the items.
   */
  indexes?: number | { readonly [Index in IndexName]?: string | IndexOptions };
  /**
   * Names and key attributes of indexes for native orders and searches, such as those that a table has: `{ ByTarget: {
   * partitionKey: 'target', sortKey: 'day' } }`. Such an index holds all attributes. Default: named by their keys.
   */
  nativeIndexes?: Readonly<Record<string, Required<Omit<IndexOptions, 'name'>>>>;
}

/** Names of an index and of its key attributes. */
export interface IndexOptions {
  name?: string;
  partitionKey?: string;
  sortKey?: string;
}
