/** Names of the table and its attributes; for tables that already exist. */
export interface TableOptions {
  name: string;
  /** Default `'source'`. */
  partitionKey?: string;
  /** Default `'target'`. */
  sortKey?: string;
  /** The attribute that DynamoDB's TTL uses. Default `'expiresAt'`. */
  ttl?: string;
  /** Names of the two indexes. Default `gsi0` and `gsi1`. */
  indexes?: { gsi0?: string; gsi1?: string };
}
