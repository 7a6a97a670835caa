import * as z from 'zod/mini';
import { EdgeloomError, WRONG_INPUT } from '../../../foundation/errors.ts';

/** The limits of a run over the whole table, from the input of the state machine's first call. */
export interface RunLimits {
  /** Number of functions that run at once; 0 derives it from the capacity units. */
  workers: number;
  /**
   * Read units per second of all workers together. 0 derives them from the table's size, or leaves a migration's reads
   * unlimited.
   */
  maxRcu: number;
  /** Write units per second of all workers together. */
  maxWcu: number;
}

export const MOST_WORKERS = 100;
/** A worker reads all of its segments at once. */
export const SEGMENTS_A_WORKER = 8;

/** Write units per second planned for one worker. */
const UNITS_A_WORKER = 500;

export function workersFor(maxWcu: number): number {
  return Math.min(MOST_WORKERS, Math.ceil(maxWcu / UNITS_A_WORKER));
}

/** Write units assumed for an item and everything derived from it, and as many read units. */
export const UNITS_AN_ITEM = 10;
const MOST_PAGE_ITEMS = 500;

/** Returns the page size, from 1 to 500, at which one page of each segment takes `seconds` to read and write. */
export function pageItemsAt(unitsPerSecond: number, seconds: number): number {
  const items = Math.floor((unitsPerSecond * seconds) / (SEGMENTS_A_WORKER * UNITS_AN_ITEM));
  return Math.max(1, Math.min(MOST_PAGE_ITEMS, items));
}

const MOST_UNITS = 1_000_000;
const unitsFrom = (least: number) => z.number().check(z.minimum(least), z.maximum(MOST_UNITS));
const schema: z.ZodMiniType<RunLimits> = z.object({
  workers: z.int().check(z.minimum(0), z.maximum(MOST_WORKERS)),
  maxRcu: unitsFrom(0),
  maxWcu: unitsFrom(1),
});

/**
 * Validates the limits, which a person may have typed as the execution's input. Throws `invalid-argument` with the
 * names of the wrong ones.
 */
export function readLimits(value: RunLimits): RunLimits {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const problems = error!.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw wrongInput(
    `The input of the execution is wrong: ${problems.join('; ')}.`,
    'Give maxWcu and maxRcu in units a second, and workers up to 100, as numbers.',
  );
}

/** Creates an error about the execution's input. Its name tells the state machine not to retry the call. */
export function wrongInput(message: string, hint: string): EdgeloomError {
  return Object.assign(new EdgeloomError('invalid-argument', message, hint), { name: WRONG_INPUT });
}
