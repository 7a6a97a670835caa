import * as z from 'zod/mini';
import { EdgeloomError } from '../../errors.ts';
import { PARSING } from '../../model/parsing.ts';
import type { WalkPlace } from '../../store/table-walk.ts';
import { walkPlaceSchema } from '../../store/walk-schemas.ts';

/** The place where a migration stopped because time was over: JSON, for the call that continues. */

/** The place where a migration stopped. */
export interface MigratePlace {
  version: 1;
  /** The work of the run that the registry does not record, by the names of the states that it has seen. */
  memory: { verified: string[]; settled: string[]; deleted: string[]; unused: string[]; shown: string[] };
  /** The walk over the table that was under way. */
  walk?: { name: string; at: WalkPlace } | undefined;
  /** The latest watermark that the walks have seen. */
  newest?: string | undefined;
  /** How often a step was repeated because of writes by old software. */
  rounds?: number | undefined;
  /** The wait under way: its names, its start in milliseconds since 1970, and its length in milliseconds. */
  waiting?: { seen: string[]; sinceMs: number; forMs?: number | undefined } | undefined;
}

const names = z.array(z.string());

const placeSchema: z.ZodMiniType<MigratePlace> = z.strictObject({
  version: z.literal(1),
  memory: z.strictObject({
    verified: names,
    settled: names,
    deleted: names,
    unused: names,
    shown: z._default(names, []),
  }),
  walk: z.optional(z.strictObject({ name: z.string(), at: walkPlaceSchema })),
  newest: z.optional(z.string()),
  rounds: z.optional(z.int()),
  waiting: z.optional(z.strictObject({ seen: names, sinceMs: z.number(), forMs: z.optional(z.number()) })),
});

/** Parses a place; throws `invalid-cursor` if the value is none. */
export function parseMigratePlace(value: unknown): MigratePlace {
  const { success, data, error } = placeSchema.safeParse(value, PARSING);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  throw new EdgeloomError(
    'invalid-cursor',
    `This is not the place of a migration: ${path.join('.') || 'it'}: ${message}.`,
    'Start the migration anew without it: it goes on by what the registry says.',
    { cause: error },
  );
}

/** Thrown to stop a run at its place. Only the run itself sees it. */
export class StoppedRun {
  constructor(readonly left: Pick<MigratePlace, 'walk' | 'waiting'>) {}
}
