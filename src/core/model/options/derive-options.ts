/** The node or edge that a text is computed for. */
export interface DeriveContext {
  source: string;
  type: string;
  /** A node's own id for a node. */
  target: string;
}

/** Options of `derive`. */
export interface DeriveOptions<A> {
  /** The registry identifies functions by this number: increment it when results change. Default 1. */
  version?: number;
  /** Functions of other versions, maintained as well: first deploy the new one here, then swap. */
  others?: Readonly<Record<number, (attributes: A, context: DeriveContext) => string | undefined>>;
}
