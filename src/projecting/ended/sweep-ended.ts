import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { sleep } from '../../foundation/runtime.ts';
import { deleteEnded, hasDueLists } from './delete-ended.ts';

/** A sweep that goes on until it is stopped. */
export interface Sweeping {
  /** Ends it, after the call in hand. */
  stop(): Promise<void>;
}

/** Deletes edges that are over again and again; undefined: the model has none that have to be. */
export function sweepEnded(
  graph: CompiledModel,
  options: { store: Store; intervalMs: number; onError: (error: unknown) => void },
): Sweeping | undefined {
  if (!hasDueLists(graph)) return undefined;
  const { store, intervalMs, onError } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const sweepOnce = async (): Promise<void> => {
    try {
      await deleteEnded(graph, { store, signal });
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  };
  const running = (async () => {
    while (!signal.aborted) {
      await sweepOnce();
      await sleep(intervalMs, signal).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
