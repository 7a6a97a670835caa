import type { BatchWaits } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { backoffMs, retrying } from '../foundation/retry.ts';
import { runtimeOf } from '../foundation/runtime.ts';
import { classifyError } from './classify.ts';

const BATCH_ATTEMPTS = 10;

/**
 * Throws a retryable error if there is no progress, or if a wait would exceed the remaining time.
 *
 * @param pauses whether to wait even after progress.
 */
export async function untilProcessed<Request>(
  requests: Request[],
  send: (requests: Request[]) => Promise<Request[]>,
  { pauses, ...waits }: BatchWaits & { pauses: boolean },
): Promise<void> {
  const { wait, random, remainingMs } = runtimeOf(waits);
  for (let rest = requests; rest.length > 0; ) {
    const tried = rest;
    waits.signal?.throwIfAborted();
    rest = await retrying(
      async () => {
        const left = await send(tried);
        if (left.length < tried.length) return left;
        throw throttledError();
      },
      { ...waits, isRetryable: (error, attempt) => isStuck(error) && attempt < BATCH_ATTEMPTS },
    );
    if (rest.length === 0 || !pauses) continue;
    const milliseconds = backoffMs(1, random);
    if (milliseconds >= remainingMs()) throw throttledError();
    await wait(milliseconds, waits.signal);
  }
}

class StuckError extends Error {
  override readonly name = 'ProvisionedThroughputExceededException';
}

function throttledError(): StoreError {
  return classifyError(new StuckError('DynamoDB left items of a batch unprocessed.'));
}

function isStuck(error: unknown): boolean {
  return error instanceof StoreError && error.cause instanceof StuckError;
}
