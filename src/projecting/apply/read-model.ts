import { EdgeloomError, isRetryableStoreError } from '../../foundation/errors.ts';
import type { WriterModel } from '../../registry/writer-model.ts';
import { type ApplyContext, retryingWithin } from '../../settle/context.ts';

/** Codes of errors that waiting does not help against. */
const LASTING: ReadonlySet<string> = new Set(['projection-code-missing', 'registry-gone', 'not-home-region']);

/**
 * Reads the model to maintain into the context, with retries while there is time; returns the error if that failed. In that case no
 * record of the batch may be applied or skipped.
 */
export async function readModelIntoContext(
  context: ApplyContext,
  model: WriterModel,
  position: string,
): Promise<EdgeloomError | undefined> {
  return await readWithin(context, async () => {
    context.graph = await model.current(context.stats, position);
    context.rebuild = await model.newestRebuild?.(context.stats);
  });
}

/**
 * Reads the newest rebuild of a table without a registry into the context again, with retries while there is time; returns the error if that
 * failed, and otherwise whether the rebuild began after the batch did.
 */
export async function readNewRebuild(context: ApplyContext, model: WriterModel): Promise<EdgeloomError | boolean> {
  const known = context.rebuild?.reconcileBeforeMs ?? 0;
  const error = await readWithin(context, async () => {
    context.rebuild = await model.newestRebuild?.(context.stats);
  });
  return error ?? (context.rebuild?.reconcileBeforeMs ?? 0) > known;
}

/** Reads, with retries while there is time; returns the error if that failed. */
async function readWithin(context: ApplyContext, read: () => Promise<void>): Promise<EdgeloomError | undefined> {
  const isTransient = (error: unknown): boolean =>
    isRetryableStoreError(error) && !(error instanceof EdgeloomError && LASTING.has(error.code));
  try {
    await retryingWithin(context, read, isTransient);
    return undefined;
  } catch (error) {
    if (!(error instanceof EdgeloomError)) throw error;
    return error;
  }
}
