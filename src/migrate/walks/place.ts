import * as z from 'zod';
import { EdgeloomError } from '../../errors.ts';

/** Where a migration stopped for want of time: JSON, for the call that goes on. */

/** An item's key; of an entry of an index its place there too. */
const key = z.strictObject({
  source: z.string(),
  target: z.string(),
  at: z.strictObject({ partition: z.string(), sort: z.string() }).optional(),
});
const walkSchema = z.strictObject({
  segments: z.int().min(1),
  /** The parts that are not read to their end, with the last key read; no key: not begun. */
  open: z.array(z.strictObject({ segment: z.int().min(0), after: key.optional() })),
});
const names = z.array(z.string());

const placeSchema = z.strictObject({
  version: z.literal(1),
  /** What the run has done that the registry does not say, by name of what it has seen. */
  memory: z.strictObject({ verified: names, settled: names, deleted: names, unused: names, shown: names.default([]) }),
  /** The walk over the table that was under way. */
  walk: z.strictObject({ name: z.string(), at: walkSchema }).optional(),
  /** The latest watermark that the walks have met, and how often a step was begun anew for what old software wrote. */
  newest: z.string().optional(),
  rounds: z.int().optional(),
  /** The wait under way: its names, since when, in milliseconds since 1970, and for how many of them. */
  waiting: z.strictObject({ seen: names, sinceMs: z.number(), forMs: z.number().optional() }).optional(),
});

/** Where a migration stopped. */
export type MigratePlace = z.infer<typeof placeSchema>;
/** Where a walk over the table stopped. */
export type WalkPlace = z.infer<typeof walkSchema>;

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
