import { EdgeloomError } from '../foundation/errors.ts';
import { runtimeOf } from '../foundation/runtime.ts';
import { LEASE_MS } from '../registry/reader-lease.ts';
import type { MigrateOptions } from './migrate-types.ts';
import { type MigratePlace, StoppedRun } from './walks/place.ts';

type Waiting = NonNullable<MigratePlace['waiting']>;

const CLOCKS_DIFFER_MS = 5_000;

/** The first and the longest pause between two checks of an index that DynamoDB is adding or deleting. */
const [LOOK_MS, LONGEST_LOOK_MS] = [50, 10_000];
/** At this attempt, when pauses have become long, `onWait` is called. */
const TOLD_ATTEMPT = 8;

/** Waits have names, so that the next call knows what an earlier call has waited for. */
export class Waits {
  constructor(
    private readonly options: Pick<
      MigrateOptions,
      'wait' | 'waitsBetweenCalls' | 'resume' | 'serverTime' | 'now' | 'onWait'
    >,
  ) {}

  async waitForIndex(index: string, attempt: number, isOver: boolean): Promise<void> {
    if (this.options.waitsBetweenCalls !== true && !isOver) {
      if (attempt === TOLD_ATTEMPT) this.options.onWait?.(changingIndex(index), LONGEST_LOOK_MS);
      return await runtimeOf(this.options).wait(Math.min(LONGEST_LOOK_MS, LOOK_MS * 2 ** attempt));
    }
    throw new StoppedRun({
      waiting: { seen: [`index ${index}`], sinceMs: await this.now(), forMs: LONGEST_LOOK_MS },
    });
  }

  /** Returns DynamoDB's time, if known, because the calls of one migration may run on several machines. */
  async now(): Promise<number> {
    return (await this.options.serverTime?.()) ?? runtimeOf(this.options).now();
  }

  async waitOrStop(milliseconds: number, names: readonly string[]): Promise<void> {
    const { waitsBetweenCalls = false, resume } = this.options;
    // A timer may end up to a millisecond early.
    if (!waitsBetweenCalls) return await runtimeOf(this.options).wait(milliseconds + 1);
    const waiting = remainingWait(names, milliseconds, resume?.waiting, await this.now());
    if (waiting !== undefined) throw new StoppedRun({ waiting });
  }
}

function changingIndex(index: string): EdgeloomError {
  return new EdgeloomError(
    'no-index',
    `DynamoDB is adding or deleting the index ${index}, which takes minutes, and longer on a large table.`,
    'You may stop here: DynamoDB goes on, and the next migration waits for it.',
  );
}

/**
 * Returns the remaining wait, or undefined if earlier calls have waited long enough for the same names. Starts over if
 * the clock was set back.
 */
function remainingWait(
  seen: readonly string[],
  milliseconds: number,
  before: Waiting | undefined,
  nowMs: number,
): Waiting | undefined {
  const forMs = milliseconds + CLOCKS_DIFFER_MS;
  const isSame = before !== undefined && seen.every((name) => before.seen.includes(name)) && nowMs >= before.sinceMs;
  if (isSame && nowMs - before.sinceMs >= forMs) return undefined;
  return { seen: [...seen], sinceMs: isSame ? before.sinceMs : nowMs, forMs };
}

export function waitSeconds({ waiting }: MigratePlace, nowMs: number): number {
  if (waiting === undefined) return 1;
  const { sinceMs, forMs = LEASE_MS + CLOCKS_DIFFER_MS } = waiting;
  return Math.ceil(Math.max(0, sinceMs + forMs - nowMs) / 1000);
}
