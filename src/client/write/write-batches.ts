import type { BatchWrite, Store } from '../../core/store-port.ts';
import { forEachSettled, slicesOf } from '../../foundation/for-each.ts';
import { BATCH_ITEMS } from './unfinished.ts';

/** How the calls of a long write are made. */
export interface BatchesOptions {
  /** Ends the waits of the calls, and lets no other call begin. */
  signal?: AbortSignal | undefined;
  /** Calls under way at once. Default 1. */
  atOnce?: number;
  /** Called after each call with the number of items that it has certainly written, and of calls of DynamoDB that it took. */
  onWritten?: (items: number, calls: number) => void;
}

/**
 * Writes items of distinct keys, 25 a call. Throws the store's first error when the calls under way have their answers, so that `onWritten` has
 * counted all that is written; no other call is made then.
 */
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
