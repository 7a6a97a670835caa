import type { CompiledModel, Store } from 'edgeloom';

/** A table with the example's model. `projected` waits until all writes are projected. */
export interface Place {
  store: Store;
  projected: () => Promise<unknown>;
}

/** One strategy for storing a parent's many children. */
export interface Example {
  title: string;
  graph: CompiledModel;
  /** Writes, then returns the answers by question. */
  run: (place: Place) => Promise<Record<string, unknown>>;
}
