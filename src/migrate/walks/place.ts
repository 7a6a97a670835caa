import * as z from 'zod';
import { EdgeloomError } from '../../errors.ts';

/** Where a migration stopped for want of time: JSON, for the call that goes on. */

/** Where a walk over the table stopped. */
export interface WalkPlace {
  segments: number;
  /**
   * The parts that are not read to their end, with the last key read; no key: not begun. Of an entry of an index its place there stands
   * beside its key.
   */
  open: {
    segment: number;
    after?: { source: string; target: string; at?: { partition: string; sort: string } | undefined } | undefined;
  }[];
}

/** Where a migration stopped. */
export interface MigratePlace {
  version: 1;
  /** What the run has done that the registry does not say, by name of what it has seen. */
  memory: { verified: string[]; settled: string[]; deleted: string[]; unused: string[]; shown: string[] };
  /** The walk over the table that was under way. */
  walk?: { name: string; at: WalkPlace } | undefined;
  /** The latest watermark that the walks have met. */
  newest?: string | undefined;
  /** How often a step was begun anew for what old software wrote. */
  rounds?: number | undefined;
  /** The wait under way: its names, since when, in milliseconds since 1970, and for how many of them. */
  waiting?: { seen: string[]; sinceMs: number; forMs?: number | undefined } | undefined;
}

const key = z.strictObject({
  source: z.string(),
  target: z.string(),
  at: z.strictObject({ partition: z.string(), sort: z.string() }).optional(),
});
const walkSchema = z.strictObject({
  segments: z.int().min(1),
  open: z.array(z.strictObject({ segment: z.int().min(0), after: key.optional() })),
});
const names = z.array(z.string());

const placeSchema: z.ZodType<MigratePlace> = z.strictObject({
  version: z.literal(1),
  memory: z.strictObject({ verified: names, settled: names, deleted: names, unused: names, shown: names.default([]) }),
  walk: z.strictObject({ name: z.string(), at: walkSchema }).optional(),
  newest: z.string().optional(),
  rounds: z.int().optional(),
  waiting: z.strictObject({ seen: names, sinceMs: z.number(), forMs: z.number().optional() }).optional(),
});

/** Reads a place back; throws `invalid-cursor` where it is none. */
export function parseMigratePlace(value: unknown): MigratePlace {
  const { success, data, error } = placeSchema.safeParse(value);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  throw new EdgeloomError(
    'invalid-cursor',
    `This is not the place of a migration: ${path.join('.') || 'it'}: ${message}.`,
    'Start the migration anew without it: it goes on by what the registry says.',
    { cause: error },
  );
}

/** A migration stops where it is. Not an error to anyone but the run itself. */
export class StoppedRun {
  constructor(readonly left: Pick<MigratePlace, 'walk' | 'waiting'>) {}
}
