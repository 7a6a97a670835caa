import { StoreError } from '../errors.ts';
import { backoffMs, retrying } from '../retry.ts';
import { sleep } from '../runtime.ts';
import { classifyError } from './classify.ts';

/** How often the unprocessed rest of a batch call is sent again before it counts as throttled. */
const BATCH_ATTEMPTS = 10;

/**
 * Sends a batch, and again what came back unprocessed, until nothing does. Throws a retryable error after ten tries in a row
 * that processed nothing.
 *
 * @param progressAttempt the attempt whose backoff is waited for after a try that processed a part; 0: none is.
 */
export async function untilProcessed<Request>(
  requests: Request[],
  progressAttempt: 0 | 1,
  send: (requests: Request[]) => Promise<Request[]>,
): Promise<void> {
  for (let rest = requests; rest.length > 0; ) {
    const tried = rest;
    rest = await retrying(
      async () => {
        const left = await send(tried);
        if (left.length < tried.length) return left;
        throw throttled();
      },
      { isRetryable: (error, attempt) => isStuck(error) && attempt < BATCH_ATTEMPTS },
    );
    if (rest.length > 0 && progressAttempt > 0) await sleep(backoffMs(progressAttempt));
  }
}

class StuckError extends Error {
  override readonly name = 'ProvisionedThroughputExceededException';
}

function throttled(): StoreError {
  return classifyError(new StuckError('DynamoDB left items of a batch unprocessed in ten tries.'));
}

function isStuck(error: unknown): boolean {
  return error instanceof StoreError && error.cause instanceof StuckError;
}
