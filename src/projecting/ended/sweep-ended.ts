import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { sleep } from '../../foundation/runtime.ts';
import { deleteEnded, hasDueLists } from './delete-ended.ts';

export interface Sweeping {
  stop(): Promise<void>;
}

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
