import * as z from 'zod/mini';
import { walkPlaceSchema } from '../../store/walk-schemas.ts';
import type { MigratePlace } from './place.ts';

/** A separate file keeps zod types out of the package's declarations. */

const names = z.array(z.string());

export const migratePlaceSchema: z.ZodMiniType<MigratePlace> = z.strictObject({
  version: z.literal(1),
  memory: z.strictObject({
    verified: names,
    reconciled: names,
    deleted: names,
    unused: names,
    shown: z._default(names, []),
    outlasted: z._default(names, []),
  }),
  walk: z.optional(z.strictObject({ name: z.string(), at: walkPlaceSchema })),
  made: z.optional(z.record(z.string(), z.int())),
  walked: z.optional(names),
  waiting: z.optional(z.strictObject({ seen: names, sinceMs: z.number(), forMs: z.optional(z.number()) })),
});
