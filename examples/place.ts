import type { Store } from 'edgeloom';

/** Where an example runs: a table of its model, and a way to wait until all that was written is projected. */
export interface Place {
  store: Store;
  projected: () => Promise<unknown>;
}
