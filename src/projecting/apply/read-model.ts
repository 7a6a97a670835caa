import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ReadStats } from '../../core/store-pages.ts';
import { EdgeloomError, isRetryableStoreError } from '../../foundation/errors.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import { retryingWithin } from '../../reconcile/context.ts';
import type { Rebuild } from '../../registry/rebuilt.ts';
import type { WriterModel } from '../../registry/writer-model.ts';

/** Codes of errors that waiting does not help against. */
const LASTING: ReadonlySet<string> = new Set(['projection-code-missing', 'registry-gone', 'not-home-region']);

/** The time of a batch, and where its reads are counted. */
type Reading = Runtime & { stats: ReadStats };

/** The model that a batch maintains, and the newest rebuild of a table without a registry. */
export interface ReadModel {
  /** Absent: the batch has no record, so nothing was read. */
  graph?: CompiledModel;
  rebuild?: Rebuild | undefined;
}

/**
 * Reads the model to maintain, with retries while there is time; returns the error if that failed. In that case no record of the batch
 * may be applied or skipped.
 */
export async function readModel(
  reading: Reading,
  model: WriterModel,
  position: string | undefined,
): Promise<ReadModel | EdgeloomError> {
  if (position === undefined) return {};
  return await readWithin(reading, async () => ({
    graph: await model.current(reading.stats, position),
    rebuild: await model.newestRebuild?.(reading.stats),
  }));
}

/** Reads the rebuild of a table without a registry that began after a batch did; returns the error if that failed. */
export async function readNewRebuild(
  reading: Reading,
  model: WriterModel,
  known: Rebuild | undefined,
): Promise<Rebuild | EdgeloomError | undefined> {
  const newest = await readWithin(reading, async () => await model.newestRebuild?.(reading.stats));
  if (newest === undefined || newest instanceof EdgeloomError) return newest;
  return newest.reconcileBeforeMs > (known?.reconcileBeforeMs ?? 0) ? newest : undefined;
}

/** Reads, with retries while there is time; returns the error if that failed. */
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
