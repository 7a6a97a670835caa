import pMap from 'p-map';
import { checkNumber } from './options.ts';

export const CALLS_AT_ONCE = 16;

export function* slicesOf<T>(elements: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < elements.length; start += size) yield elements.slice(start, start + size);
}

/**
 * Rejects with the first error, without waiting for running work. Creates fewer promises than `pMap`, because a batch
 * may have tens of thousands of elements.
 */
export async function forEachAtOnce<T>(
  elements: Iterable<T>,
  work: (element: T, place: number) => Promise<void>,
  { concurrency }: { concurrency: number },
): Promise<void> {
  checkNumber('concurrency', concurrency, { least: 1 });
  const iterator = elements[Symbol.iterator]();
  let isEnding = false;
  let begun = 0;
  const worker = async (): Promise<void> => {
    try {
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
        await work(next.value, begun++);
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

/** Starts nothing new after an error, and throws the first error once all running work has ended. */
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

/** Throws an error of `work` at once, and an error of `source` once the running work has ended. */
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
      // `pMap` may treat a throwing generator as finished.
      failures.push(error);
    }
  }
  await pMap(elements(), work, { concurrency });
  if (failures.length > 0) throw failures[0];
}
