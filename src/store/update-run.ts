import type { DerivedUpdate, UpdateManyOptions, UpdateOutcome, UpdateResult } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { forEachAtOnce } from '../foundation/for-each.ts';
import { runtimeOf } from '../foundation/runtime.ts';

const CONCURRENCY = 32;

export interface UpdatePart {
  places: readonly number[];
  /** If this throws a `StoreError`, the error becomes the outcome of all items of the part that have none yet. */
  send: (run: UpdateRun) => Promise<void>;
}

export class UpdateRun {
  private readonly outcomes: UpdateOutcome[];
  private readonly remainingMs: () => number;
  private readonly signal: AbortSignal | undefined;
  private ending: StoreError | undefined;
  private hasAnswers = false;
  private isCutShort = false;

  constructor(count: number, { signal, remainingMs }: UpdateManyOptions = {}) {
    this.outcomes = new Array<UpdateOutcome>(count);
    this.signal = signal;
    this.remainingMs = runtimeOf({ remainingMs }).remainingMs;
  }

  async send(
    parts: Iterable<UpdatePart>,
    { concurrency = CONCURRENCY }: UpdateManyOptions = {},
  ): Promise<readonly UpdateOutcome[]> {
    const sendPart = async ({ places, send }: UpdatePart): Promise<void> => {
      if (!this.maySend(places)) return;
      try {
        await send(this);
      } catch (error) {
        // A part may take several calls, so an earlier one may already have answered for some items.
        this.fail(
          places.filter((place) => this.outcomes[place] === undefined),
          error,
        );
      }
    };
    await forEachAtOnce(parts, sendPart, { concurrency });
    // Thrown only after all sent calls have been answered.
    if (this.isCutShort) this.signal?.throwIfAborted();
    if (this.ending !== undefined && !this.hasAnswers) throw this.ending;
    return this.outcomes;
  }

  /** Ask before every call. If false, the items' outcome says why; after an abort, `send` throws. */
  maySend(places: readonly number[]): boolean {
    if (this.signal?.aborted === true) this.isCutShort = true;
    else if (this.ending !== undefined) this.fail(places, this.ending);
    else if (this.remainingMs() <= 0) this.note(places, { applied: false, error: noTimeError() });
    else return true;
    return false;
  }

  answer(place: number, outcome: UpdateOutcome): void {
    this.outcomes[place] = outcome;
    this.hasAnswers = true;
  }

  fail(places: readonly number[], error: unknown): void {
    if (!(error instanceof StoreError)) throw error;
    this.note(places, { applied: false, error });
    // The run's other calls would fail as well.
    if (error.kind === 'fatal' || error.code === 'no-connection') this.ending ??= error;
    else this.hasAnswers = true;
  }

  private note(places: readonly number[], outcome: UpdateOutcome): void {
    for (const place of places) this.outcomes[place] = outcome;
  }
}

export async function updateEach(
  updates: readonly DerivedUpdate[],
  update: (update: DerivedUpdate) => Promise<UpdateResult>,
  options?: UpdateManyOptions,
): Promise<readonly UpdateOutcome[]> {
  checkDistinct(updates);
  const parts = updates.map(
    (one, place): UpdatePart => ({
      places: [place],
      send: async (run) => run.answer(place, await update(one)),
    }),
  );
  return await new UpdateRun(updates.length, options).send(parts, options);
}

/**
 * Throws a terminal error if an item occurs twice: DynamoDB refuses duplicates in one call, and two calls would have no
 * order.
 */
export function checkDistinct(updates: readonly DerivedUpdate[]): void {
  const seen = new Set<string>();
  for (const { key } of updates) {
    const { source, target } = key;
    // The length keeps keys apart whatever characters they contain.
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

function noTimeError(): StoreError {
  const message = 'The time for this write is over; it was not sent.';
  return new StoreError('retryable', 'no-time', message, 'Read the item again, and write what it should hold then.');
}
