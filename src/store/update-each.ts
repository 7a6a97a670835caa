import type { DerivedUpdate, UpdateManyOptions, UpdateOutcome, UpdateResult } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { forEachAtOnce } from '../foundation/for-each.ts';
import { runtimeOf } from '../foundation/runtime.ts';

const CONCURRENCY = 32;

/** A part of the updates of a call that is sent at once: their places in the call. */
export interface SentPart {
  places: readonly number[];
  /** Sends them. Returns an outcome for each. */
  send: () => Promise<readonly UpdateOutcome[]>;
}

/** Changes many items by a call for each: see `Store.updateMany`. */
export async function updateEach(
  updates: readonly DerivedUpdate[],
  update: (update: DerivedUpdate) => Promise<UpdateResult>,
  options?: UpdateManyOptions,
): Promise<readonly UpdateOutcome[]> {
  checkDistinct(updates);
  const parts = updates.map((one, place): SentPart => ({ places: [place], send: async () => [await update(one)] }));
  return await sendParts(updates.length, parts, options);
}

/** Sends the parts of a call, some at once, as `Store.updateMany` says. Returns the outcomes of its `count` items. */
export async function sendParts(
  count: number,
  parts: readonly SentPart[],
  { signal, remainingMs: remaining, concurrency = CONCURRENCY }: UpdateManyOptions = {},
): Promise<readonly UpdateOutcome[]> {
  const { remainingMs } = runtimeOf({ remainingMs: remaining });
  const outcomes = new Array<UpdateOutcome>(count);
  let ending: StoreError | undefined;
  let hasAnswers = false;
  let isCutShort = false;
  const fail = (places: readonly number[], error: StoreError): void => {
    for (const place of places) outcomes[place] = { applied: false, error };
  };
  const sendPart = async ({ places, send }: SentPart): Promise<void> => {
    if (signal?.aborted === true) {
      isCutShort = true;
      return;
    }
    if (ending !== undefined) return fail(places, ending);
    if (remainingMs() <= 0) return fail(places, timeIsOver());
    try {
      const answers = await send();
      places.forEach((place, i) => {
        outcomes[place] = answers[i]!;
      });
      hasAnswers = true;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      fail(places, error);
      if (isOfAllItems(error)) ending ??= error;
      else hasAnswers = true;
    }
  };
  await forEachAtOnce(parts, sendPart, { concurrency });
  // Thrown only here: what was sent before has its answer now.
  if (isCutShort) signal?.throwIfAborted();
  if (ending !== undefined && !hasAnswers) throw ending;
  return outcomes;
}

/** Throws a terminal error if an item is named twice: DynamoDB refuses a call that does, and of two calls either may come first. */
export function checkDistinct(updates: readonly DerivedUpdate[]): void {
  const seen = new Set<string>();
  for (const { key } of updates) {
    const { source, target } = key;
    // The length keeps two keys apart whatever their texts hold.
    const text = `${source.length} ${source}${target}`;
    if (seen.has(text)) {
      throw new StoreError(
        'terminal',
        'ValidationException',
        `The item ${JSON.stringify(target)} of ${JSON.stringify(source)} is named twice in one call of updateMany.`,
        'Give each item one update.',
      );
    }
    seen.add(text);
  }
}

/** Tells whether a failure is one that every other item of the call would meet as well. */
function isOfAllItems({ kind, code }: StoreError): boolean {
  return kind === 'fatal' || code === 'no-connection';
}

function timeIsOver(): StoreError {
  const message = 'The time for this write is over; it was not sent.';
  return new StoreError('retryable', 'no-time', message, 'Read the item again, and write what it should hold then.');
}
