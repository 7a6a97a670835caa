import * as z from 'zod/mini';
import type { WalkPlace } from './table-walk.ts';

/** This file keeps zod types out of the package's declarations. */

const key = { source: z.string(), target: z.string() };

export const openSegmentsSchema = z.array(
  z.strictObject({ segment: z.int().check(z.minimum(0)), after: z.optional(z.strictObject(key)) }),
);

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
