import * as z from 'zod/mini';
import type { WalkPlace } from './table-walk.ts';

/** The schemas of places, apart from the walk itself: the declarations of the package name no library for them. */

const key = { source: z.string(), target: z.string() };

/** The schema of the open segments of a walk over a table. */
export const openSegmentsSchema = z.array(
  z.strictObject({ segment: z.int().check(z.minimum(0)), after: z.optional(z.strictObject(key)) }),
);

/** The schema of the place of a walk over a table or an index. */
export const walkPlaceSchema: z.ZodMiniType<WalkPlace> = z.strictObject({
  segments: z.int().check(z.minimum(1)),
  open: z.array(
    z.strictObject({
      segment: z.int().check(z.minimum(0)),
      after: z.optional(
        z.strictObject({ ...key, at: z.optional(z.strictObject({ partition: z.string(), sort: z.string() })) }),
      ),
    }),
  ),
});
