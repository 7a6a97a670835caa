/** The node or edge that a text is computed for. */
export interface DeriveContext {
  /** The partition key: a node id. */
  source: string;
  /** The node or edge type. */
  type: string;
  /** The target node's id; for a node, its own. */
  target: string;
}

/** Options of `derive`. */
export interface DeriveOptions<A> {
  /**
   * Increment it when the function's results change: the registry identifies functions by this number, not by their
   * text. A whole number, at least 1. Default 1.
   */
  version?: number;
  /**
   * Functions of other versions, by version, maintained as well while the table has or already has their results: first
   * deploy the new one here, then swap.
   */
  others?: Readonly<Record<number, (attributes: A, context: DeriveContext) => string | undefined>>;
}
