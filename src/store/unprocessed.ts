import { backoffMs, retrying, sleep } from '../retry.ts';
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
  const stuck = throttled();
  for (let rest = requests; rest.length > 0; ) {
    const tried = rest;
    rest = await retrying(
      async () => {
        const left = await send(tried);
        if (left.length < tried.length) return left;
        throw stuck;
      },
      { isRetryable: (error, attempt) => error === stuck && attempt < BATCH_ATTEMPTS },
    );
    if (rest.length > 0 && progressAttempt > 0) await sleep(backoffMs(progressAttempt));
  }
}

function throttled(): Error {
  const error = new Error('DynamoDB left items of a batch unprocessed, again and again.');
  error.name = 'ProvisionedThroughputExceededException';
  return classifyError(error);
}
