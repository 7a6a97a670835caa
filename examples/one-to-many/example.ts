import type { CompiledModel, Store } from 'edgeloom';

/** Where an example runs: a table of its model, and a way to wait until all that was written is projected. */
export interface Place {
  store: Store;
  projected: () => Promise<unknown>;
}

/** One strategy of keeping many children of one parent. */
export interface Example {
  /** What it shows, in a sentence. */
  title: string;
  graph: CompiledModel;
  /** Writes, reads, and gives what was read, by question. */
  run: (place: Place) => Promise<Record<string, unknown>>;
}
