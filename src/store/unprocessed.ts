import type { BatchWaits } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { backoffMs, retrying } from '../foundation/retry.ts';
import { runtimeOf } from '../foundation/runtime.ts';
import { classifyError } from './classify.ts';

/** Maximum number of attempts in a row without progress. */
const BATCH_ATTEMPTS = 10;

/**
 * Sends requests until none is left. Throws a retryable error if there is no progress, or if a wait would exceed the
 * remaining time.
 *
 * @param progressAttempt the attempt whose backoff to wait after progress; 0 for none.
 */
export async function untilProcessed<Request>(
  requests: Request[],
  progressAttempt: 0 | 1,
  send: (requests: Request[]) => Promise<Request[]>,
  waits: BatchWaits = {},
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
    if (rest.length === 0 || progressAttempt === 0) continue;
    const milliseconds = backoffMs(progressAttempt, random);
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
