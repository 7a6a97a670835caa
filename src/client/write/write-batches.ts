import type { BatchWrite, Store } from '../../core/store-port.ts';
import { forEachSettled, slicesOf } from '../../foundation/for-each.ts';
import { BATCH_ITEMS } from './unfinished.ts';

export interface BatchesOptions {
  signal?: AbortSignal | undefined;
  atOnce?: number;
  onWritten?: (items: number, calls: number) => void;
}

/** Throws an error only after all calls in flight are answered, so that `onWritten` has counted everything written. */
export async function writeInBatches(
  store: Pick<Store, 'writeMany'>,
  writes: readonly BatchWrite[],
  { signal, atOnce = 1, onWritten }: BatchesOptions = {},
): Promise<void> {
  const write = async (some: BatchWrite[]): Promise<void> => {
    const { calls } = await store.writeMany(some, { signal });
    onWritten?.(some.length, calls);
  };
  await forEachSettled(slicesOf(writes, BATCH_ITEMS), write, { concurrency: atOnce });
}
