/** The node or edge for which a string is computed. */
export interface DeriveContext {
  source: string;
  type: string;
  /** The target of an edge; for a node, its own id. */
  target: string;
}

/** Options of `derive`. */
export interface DeriveOptions<A> {
  /** The registry identifies functions by this number: increment it when results change. Default: 1. */
  version?: number;
  /**
   * Functions of other versions, whose items are also maintained. Deploy a new version here first, then swap it with
   * the current one.
   */
  others?: Readonly<Record<number, (attributes: A, context: DeriveContext) => string | undefined>>;
}
