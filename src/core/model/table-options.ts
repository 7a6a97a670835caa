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
   * Names of the two indexes, or with them those of their key attributes. Default `gsi0` with `gsi0pk` and `gsi0sk`, and `gsi1` with
   * `gsi1pk` and `gsi1sk`.
   */
  indexes?: { gsi0?: string | IndexOptions; gsi1?: string | IndexOptions };
}

/** Names of an index and of its key attributes. */
export interface IndexOptions {
  name?: string;
  partitionKey?: string;
  sortKey?: string;
}
