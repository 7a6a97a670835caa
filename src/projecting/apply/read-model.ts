import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ReadStats } from '../../core/store-pages.ts';
import { EdgeloomError, isRetryableStoreError } from '../../foundation/errors.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import { retryingWithin } from '../../reconcile/apply-context.ts';
import type { WriterModel } from '../../registry/writer-model.ts';

/** Errors that waiting doesn't resolve. */
const LASTING: ReadonlySet<string> = new Set(['projection-code-missing', 'registry-gone', 'not-home-region']);

type Reading = Runtime & { stats: ReadStats };

/**
 * Reads the model, and retries while there is time. If an error is returned, no record of the batch may be applied or skipped. Returns
 * undefined if the batch has no records.
 */
export async function readModel(
  reading: Reading,
  model: WriterModel,
  stream: string | undefined,
): Promise<CompiledModel | EdgeloomError | undefined> {
  if (stream === undefined) return undefined;
  return await readWithin(reading, () => model.current(reading.stats, stream));
}

async function readWithin<T>(reading: Reading, read: () => Promise<T>): Promise<T | EdgeloomError> {
  const isTransient = (error: unknown): boolean =>
    isRetryableStoreError(error) && !(error instanceof EdgeloomError && LASTING.has(error.code));
  try {
    return await retryingWithin(reading, read, isTransient);
  } catch (error) {
    if (!(error instanceof EdgeloomError)) throw error;
    return error;
  }
}
