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
  const isTransient = (error: unknown): boolean =>
    isRetryableStoreError(error) && !(error instanceof EdgeloomError && LASTING.has(error.code));
  try {
    const read = async (): Promise<void> => {
      context.graph = await model.current(context.stats, position);
      context.reconcileBeforeMs = await model.reconcileBeforeMs?.(context.stats);
    };
    await retryingWithin(context, read, isTransient);
    return undefined;
  } catch (error) {
    if (!(error instanceof EdgeloomError)) throw error;
    return error;
  }
}
