import * as z from 'zod/mini';
import { EdgeloomError, WRONG_INPUT } from '../../../foundation/errors.ts';

/** The limits of a run over the whole table, which the state machine gives to its first call. */
export interface RunLimits {
  /** Functions that run at once. 0: as many as the units ask for. */
  workers: number;
  /** Read units a second, of all workers together. 0: by the table's size; a migration then reads without a limit. */
  maxRcu: number;
  /** Write units a second, of all workers together. */
  maxWcu: number;
}

/** Functions of a run at once, at most. */
export const MOST_WORKERS = 100;
/** Segments of each worker: as many are read at once. */
export const SEGMENTS_A_WORKER = 8;

/** Write units a second of one worker at most: a process that writes small items reaches about twice as many. */
const UNITS_A_WORKER = 500;

/** The number of workers that write a number of units a second. */
export function workersFor(maxWcu: number): number {
  return Math.min(MOST_WORKERS, Math.ceil(maxWcu / UNITS_A_WORKER));
}

/** Write units assumed for an item and all that is derived from it, and the same number of read units. */
export const UNITS_AN_ITEM = 10;
const MOST_PAGE_ITEMS = 500;

/** Items of a page at a worker's rate of reads or of writes: those of a page in each of its segments take these seconds. */
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

/** Reads the limits, which a person may have typed as the input of an execution; throws `invalid-option` with the wrong ones. */
export function readLimits(value: RunLimits): RunLimits {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const problems = error!.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw wrongInput(
    `The input of the execution is wrong: ${problems.join('; ')}.`,
    'Give maxWcu and maxRcu in units a second, and workers up to 100, as numbers.',
  );
}

/** An error about the input of an execution, by whose name the state machine does not make the call again. */
export function wrongInput(message: string, hint: string): EdgeloomError {
  return Object.assign(new EdgeloomError('invalid-option', message, hint), { name: WRONG_INPUT });
}
