import type { IndexName } from '../items/derived-item.ts';

/** Names of the table, its attributes and its indexes. */
export interface TableOptions {
  name: string;
  /** The attribute that is the partition key. Default: `'source'`. */
  partitionKey?: string;
  /** The attribute that is the sort key. Default: `'target'`. */
  sortKey?: string;
  /**
   * The attribute that DynamoDB's TTL uses for every item, even of a type without `expires`. Don't give this name to an
   * attribute that shouldn't delete its item. Default: `'expiresAt'`.
   */
  ttl?: string;
  /**
   * How many indexes the model may use, from 1 to 20, or their names, optionally with their key attributes. That many
   * orders of an edge type, or searches of a node, can share an index item. A different number changes the model:
   * `edgeloom migrate` rebuilds the items. Default: 2, named `gsi0` with the keys `gsi0pk` and `gsi0sk`, and so on.
   */
  indexes?: number | { readonly [Index in IndexName]?: string | IndexOptions };
  /**
   * Names and key attributes of indexes for native orders and searches, such as indexes that a table already has:
   * `{ ByTarget: { partitionKey: 'target', sortKey: 'day' } }`.
   * Such an index holds all attributes. Default: names made from the keys.
   */
  nativeIndexes?: Readonly<Record<string, Required<Omit<IndexOptions, 'name'>>>>;
}

/** Names of an index and its key attributes. */
export interface IndexOptions {
  name?: string;
  partitionKey?: string;
  sortKey?: string;
}
