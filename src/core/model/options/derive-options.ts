/** Which node or edge a derived text is computed for. */
export interface DeriveContext {
  /** The partition key: a node id. */
  source: string;
  /** The node or edge type. */
  type: string;
  /** The target node's id; of a node, its own. */
  target: string;
}

/** Options of `derive`. */
export interface DeriveOptions<A> {
  /**
   * Counts the changes of what the function gives: the registry knows functions by this number, never by their text. A whole
   * number of 1 or more. Default 1.
   */
  version?: number;
  /**
   * Functions of other versions, by version, which are maintained with this one while the table still has, or already
   * has, their results: deploy the new one here first, then change places.
   */
  others?: Readonly<Record<number, (attributes: A, context: DeriveContext) => string | undefined>>;
}
