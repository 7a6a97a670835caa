import type { InvokeResult } from './mapping-types.ts';

/**
 * Decides by an invocation's answer what happens to its batch. These are Lambda's rules; where its documentation is silent, a
 * comment says what is assumed.
 */

/** Consecutive records that are delivered together. */
export interface BatchPart<R> {
  /** Oldest first. */
  records: readonly R[];
  /** Failed tries that count against the retries. */
  failedTries: number;
  /** Invocations with exactly these records, or with more. */
  invocations: number;
}

/** How failed batches are treated. */
export interface RetryPolicy {
  bisects: boolean;
  /** Retries at most; infinite: never given up. */
  maximumRetries: number;
}

/**
 * How many records of a batch, from the first on, are done.
 *
 * @param sequenceNumbers of the batch, oldest first.
 * @param readsItems whether `batchItemFailures` are read; else whatever is returned is a success.
 */
export function doneCount(sequenceNumbers: readonly string[], result: InvokeResult, readsItems: boolean): number {
  if (result.kind === 'error') return 0;
  const failures = readsItems ? reportedFailures(result.payload) : [];
  if (failures === undefined) return 0;
  const places = failures.map((identifier) => sequenceNumbers.indexOf(identifier));
  // An identifier that the batch does not hold says nothing about where to go on: all of it is tried again.
  return places.includes(-1) ? 0 : Math.min(sequenceNumbers.length, ...places);
}

/** The sequence numbers that an answer reports; undefined where the answer is not one that Lambda understands. */
function reportedFailures(payload: unknown): string[] | undefined {
  // Nothing at all, and a list of nothing, are full successes.
  if (payload === undefined || payload === null) return [];
  if (typeof payload !== 'object' || Array.isArray(payload)) return undefined;
  const failures: unknown = (payload as Record<string, unknown>)['batchItemFailures'];
  if (failures === undefined || failures === null) return [];
  if (!Array.isArray(failures)) return undefined;
  const identifiers = failures.map((failure: unknown) =>
    typeof failure === 'object' && failure !== null
      ? (failure as Record<string, unknown>)['itemIdentifier']
      : undefined,
  );
  return identifiers.every((identifier) => typeof identifier === 'string' && identifier !== '')
    ? (identifiers as string[])
    : undefined;
}

/** The next step for the remaining records of a batch. */
export type Aftermath<R> = { next: 'retry' | 'split'; parts: BatchPart<R>[] } | { next: 'give-up'; left: BatchPart<R> };

/**
 * Decides what happens to the rest of a batch, which has at least one record. With bisection, a report splits it at the reported
 * record, and an error in the middle; splits do not count as retries. A report of the first record splits nothing off, so it halves
 * the rest like an error: otherwise one bad record would take its whole batch along.
 */
export function decideAfterFailure<R>(part: BatchPart<R>, done: number, policy: RetryPolicy): Aftermath<R> {
  const { failedTries, invocations } = part;
  const records = part.records.slice(done);
  if (policy.bisects && done > 0) return { next: 'split', parts: [{ records, failedTries, invocations }] };
  if (policy.bisects && records.length > 1) {
    const middle = Math.ceil(records.length / 2);
    const halves = [records.slice(0, middle), records.slice(middle)];
    return { next: 'split', parts: halves.map((half) => ({ records: half, failedTries, invocations })) };
  }
  const left = { records, failedTries: failedTries + 1, invocations };
  return left.failedTries > policy.maximumRetries ? { next: 'give-up', left } : { next: 'retry', parts: [left] };
}
