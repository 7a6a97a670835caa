import pMap from 'p-map';
import { EdgeloomError } from './errors.ts';

/** Calls of a walk that are under way at once, if its caller does not say. */
export const CALLS_AT_ONCE = 16;

/** The elements of a list, some at a time and in their order. */
export function* slicesOf<T>(elements: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < elements.length; start += size) yield elements.slice(start, start + size);
}

/**
 * Does something with each element of a list, some at once. Throws the first error of the work at once, and begins no more of it.
 * A batch has tens of thousands of elements: here each of them costs one promise besides its work, in `pMap` eight.
 *
 * @example
 * await forEachAtOnce(units, applyUnit, { concurrency: 32 });
 */
export async function forEachAtOnce<T>(
  elements: Iterable<T>,
  work: (element: T, place: number) => Promise<void>,
  { concurrency }: { concurrency: number },
): Promise<void> {
  if (!(concurrency >= 1)) {
    throw new EdgeloomError(
      'invalid-option',
      `concurrency should be a number of 1 or more, but is ${concurrency}.`,
      'Leave it out for the default.',
    );
  }
  const iterator = elements[Symbol.iterator]();
  let isEnding = false;
  let begun = 0;
  const worker = async (): Promise<void> => {
    try {
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
        await work(next.value, begun++);
        // Another worker may have failed meanwhile.
        if (isEnding) return;
      }
    } finally {
      isEnding = true;
    }
  };
  const workers: Promise<void>[] = [];
  while (workers.length < concurrency && !isEnding) workers.push(worker());
  await Promise.all(workers);
}

/**
 * The same for work whose outcome has to be known: throws the first error when the work in hand has ended. No more of it is begun.
 *
 * @example
 * await forEachSettled(chunks, deleteChunk, { concurrency: 16 });
 */
export async function forEachSettled<T>(
  elements: Iterable<T>,
  work: (element: T) => Promise<void>,
  { concurrency }: { concurrency: number },
): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (element: T): Promise<void> => {
    if (failures.length > 0) return;
    await work(element).catch((error: unknown) => failures.push(error));
  };
  await forEachAtOnce(elements, attempt, { concurrency });
  if (failures.length > 0) throw failures[0];
}

/**
 * Does something with each element of an asynchronous source, some at once. Throws the first error of the work at once, and that of the
 * source when the work in hand has ended.
 *
 * @example
 * await forEachOf(quarantineEntries(context), reconcileEntry, { concurrency: 8 });
 */
export async function forEachOf<T>(
  source: AsyncIterable<T> | Iterable<T>,
  work: (element: T) => Promise<void>,
  { concurrency }: { concurrency: number },
): Promise<void> {
  const failures: unknown[] = [];
  async function* elements(): AsyncGenerator<T> {
    try {
      yield* source;
    } catch (error) {
      // When no work is in hand and two of its calls wait for an element, pMap treats a throwing generator as finished.
      failures.push(error);
    }
  }
  await pMap(elements(), work, { concurrency });
  if (failures.length > 0) throw failures[0];
}
