import type { IndexName } from '../items/derived-item.ts';

/** Names of the table and its attributes; for tables that already exist. */
export interface TableOptions {
  name: string;
  /** Default `'source'`. */
  partitionKey?: string;
  /** Default `'target'`. */
  sortKey?: string;
  /** The attribute that DynamoDB's TTL uses. Default `'expiresAt'`. */
  ttl?: string;
  /**
   * How many indexes the model may use, from 1 to 20: as many orders of an edge type, or searches of a node, share one index item. Default 2. Or names of the
   * indexes, or with them those of their key attributes: default `gsi0` with `gsi0pk` and `gsi0sk`, and so on; there are as many as the
   * last name says, and 2 at least. Another number is a change of the model: `edgeloom migrate` makes their items again.
   */
  indexes?: number | { readonly [Index in IndexName]?: string | IndexOptions };
  /**
   * Indexes that native orders and searches use under names of your own, such as those that a table already has: the name of each index, and its
   * two key attributes, `{ ByTarget: { partitionKey: 'target', sortKey: 'day' } }`. Such an index holds all attributes. Default: each native
   * index is named by its keys and by what it holds.
   */
  nativeIndexes?: Readonly<Record<string, Required<Omit<IndexOptions, 'name'>>>>;
}

/** Names of an index and of its key attributes. */
export interface IndexOptions {
  name?: string;
  partitionKey?: string;
  sortKey?: string;
}
