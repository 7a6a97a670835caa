import { EdgeloomError, isRetryableStoreError } from '../errors.ts';
import type { WriterModel } from '../registry/writer-model.ts';
import { type ApplyContext, retryingWithin } from './context.ts';

/** Why a writer may not work, in ways that waiting does not change. */
const LASTING: ReadonlySet<string> = new Set(['projection-code-missing', 'registry-gone', 'not-home-region']);

/**
 * Brings the model into the context that is to be maintained, retrying while there is time; gives why that failed. Nothing of
 * the batch may be applied then, and nothing skipped.
 */
export async function readModel(
  context: ApplyContext,
  model: WriterModel,
  position: string,
): Promise<EdgeloomError | undefined> {
  const isPassing = (error: unknown): boolean =>
    isRetryableStoreError(error) && !(error instanceof EdgeloomError && LASTING.has(error.code));
  try {
    context.graph = await retryingWithin(context, () => model.current(context.stats, position), isPassing);
    return undefined;
  } catch (error) {
    if (!(error instanceof EdgeloomError)) throw error;
    return error;
  }
}
