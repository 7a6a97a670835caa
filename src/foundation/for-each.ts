import pMap from 'p-map';

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
      // pMap takes a generator that throws for one that ends, where two of its calls wait for an element and no work is in hand.
      failures.push(error);
    }
  }
  await pMap(elements(), work, { concurrency });
  if (failures.length > 0) throw failures[0];
}
