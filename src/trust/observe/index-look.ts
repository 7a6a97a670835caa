import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import { type PlaceInIndex, shownAt } from '../../store/index-entry.ts';
import type { IndexAnswer, IndexDifference, IndexQuestion, IndexSample } from './index-sample.ts';

/** The reads of the sample of the indexes. */

/** The values that questions need. */
export interface AskContext extends Pick<Runtime, 'now'> {
  graph: Pick<CompiledModel, 'table'>;
  store: Pick<Store, 'get' | 'query'>;
  sample: IndexSample;
  /** Called with a difference that has outlasted all waits. */
  onIndexDifference?: ((difference: IndexDifference) => void) | undefined;
}

/** Asks the questions that are due in this turn. */
export async function askIndexes(context: AskContext): Promise<void> {
  const { sample, now } = context;
  await Promise.all(sample.due(now()).map((question) => askAndReport(context, question)));
}

/** Asks the indexes one question and reports a difference. Puts the question off if the store fails. */
async function askAndReport(context: AskContext, question: IndexQuestion): Promise<void> {
  const { sample, now, onIndexDifference } = context;
  let answer: IndexAnswer;
  try {
    answer = await answerTo(context, question);
  } catch (error) {
    // The observer goes on: an index that is throttled, or is being made, has nothing to do with what it verifies.
    if (!(error instanceof StoreError)) throw error;
    sample.putOff(question, error.message, now());
    return;
  }
  const difference = sample.take(question, answer, now());
  if (difference !== undefined) onIndexDifference?.(difference);
}

/** The item is read last: with the revision of its record it was the same while the indexes were asked. */
async function answerTo({ graph, store }: AskContext, { key, holds, left }: IndexQuestion): Promise<IndexAnswer> {
  const shown = async (places: readonly PlaceInIndex[]) =>
    await Promise.all(places.map((place) => shownAt({ graph, store }, place, key)));
  const [held, still] = await Promise.all([shown(holds), shown(left)]);
  const { item } = await store.get(key, { consistent: true });
  return { stored: item, holds: held, left: still };
}
