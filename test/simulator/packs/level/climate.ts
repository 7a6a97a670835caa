import type { Choices } from '../../kernel/choices.ts';
import type { Random } from '../../kernel/random.ts';
import type { Focus } from './models.ts';

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

/** How long a worker may sleep between two calls: longer than a tombstone stands. */
export const LONGEST_SLEEP_MS = 50 * HOUR_MS;

/** How long a request that was sent may take to land. */
export const LATEST_LANDING_MS = 4 * MINUTE_MS;

/** The oldest record that comes again. */
export const OLDEST_RECORD_MS = 23 * HOUR_MS;

/** How likely what is. It shapes what is drawn; a schedule that is kept holds what came of it. */
export interface Climate {
  /** The likelihood of a wait before and after a call, and the longest of them. */
  wait: number;
  spanMs: number;
  /** The likelihood of a long sleep after a call, and how long it is. */
  long: number;
  longMs: readonly [number, ...number[]];
  faults: number;
  /** How far a read that is not consistent may be behind, and how likely it is. */
  lagMs: number;
  lags: number;
  /** Between two changes of base items. */
  gapMs: number;
  crash: number;
  again: number;
  /** After which time a batch is given up, and its records are delivered again. */
  timeoutMs: number;
  /** How often one of two items is changed, and which two. */
  hot: number;
  hotAt: number;
  poison: number;
}

/** Draws how it is in a schedule. What is not a likelihood alone is a choice with a name. */
export function drawClimate(choices: Choices, focus: Focus): Climate {
  const isCalm = focus === 'keys' && choices.chance('calm', 0.5);
  const isCrowded = focus !== 'anything' && !isCalm;
  const likely = { ...choices.shape(drawLikely), ...(isCalm && CALM), ...(isCrowded && CROWDED) };
  const lag = choices.drawn('lag', (random) => random.oneOf(isCalm ? [500, 5_000] : [0, 0, 500, 5_000]));
  const timeout = choices.drawn('timeout', (random) => (isCrowded ? 1_000 : random.oneOf([0, 1_000])));
  return { ...likely, lagMs: lag, timeoutMs: timeout === 0 ? MINUTE_MS : timeout };
}

/** Batches end before their items change again, while reads may still lag behind the batch before: nobody else mends what a batch leaves. */
const CALM = { gapMs: 3_000, spanMs: 50, hot: 0 };

/** Workers that overtake each other as often as they can. */
const CROWDED = { wait: 0.6, spanMs: 500, again: 0.5, faults: 0.1, hot: 0, gapMs: 200, poison: 0.1 };

function drawLikely(random: Random): Omit<Climate, 'lagMs' | 'timeoutMs'> {
  const isWild = random.chance(0.8);
  const often = (...values: [number, ...number[]]): number => (isWild ? random.oneOf(values) : values[0]);
  return {
    wait: often(0, 0.3, 0.6, 0.9),
    spanMs: random.oneOf([5, 50, 500]),
    long: often(0, 0, 0.01, 0.05, 0.2),
    longMs: random.oneOf([
      [2_000, 5_000],
      [70_000, 5 * MINUTE_MS],
      [16 * MINUTE_MS, 50 * MINUTE_MS, LONGEST_SLEEP_MS],
    ]),
    faults: often(0, 0, 0.05, 0.2),
    lags: 0.5,
    gapMs: random.oneOf([1, 20, 200, 3_000]),
    crash: often(0, 0, 0.1, 0.3),
    again: often(0, 0, 0.1, 0.5),
    hot: random.oneOf([0, 0.5, 0.9]),
    hotAt: random.below(20),
    poison: random.oneOf([0, 0, 0.1]),
  };
}
