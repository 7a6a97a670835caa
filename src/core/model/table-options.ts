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
}

/** Names of an index and of its key attributes. */
export interface IndexOptions {
  name?: string;
  partitionKey?: string;
  sortKey?: string;
}
