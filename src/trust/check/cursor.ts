import * as z from 'zod/mini';
import type { ItemKey } from '../../core/store-port.ts';
import {
  type DriftVerdict,
  isDrift,
  noVerdicts,
  VERDICT_NAMES,
  type Verdict,
  type VerdictCounts,
} from '../../core/verdicts.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { parsingInEnglish } from '../../foundation/parsing.ts';
import type { WalkPlace } from '../../store/table-walk.ts';
import { openSegmentsSchema } from '../../store/walk-schemas.ts';

/** The counts of a check. */
export interface CheckCounts extends VerdictCounts {
  partitions: number;
  baseItems: number;
  derivedItems: number;
  /** The types outside the model, with their number of base items. */
  unknownTypes: { type: string; items: number; nearest: string | null }[];
  /**
   * Projections that a change of the model builds or removes, with the number of their items in the scan: these are not compared.
   */
  changing: { name: string; items: number; reason: string }[];
  /** Derived items that were repaired. */
  repaired: number;
  rcu: number;
  wcu: number;
}

/** The place where a check stopped. */
export interface CheckCursor extends WalkPlace {
  version: 1;
  /** Partitions to look at again: they differed, and there was no time to find out why. */
  suspects: string[];
  /** Reverse items and continuations to look at again; `base`: the edge, if the item's key does not name it. */
  items?: (ItemKey & { base?: ItemKey | undefined })[] | undefined;
  totals: CheckCounts;
}

const count = z.int().check(z.minimum(0));
const key = { source: z.string(), target: z.string() };
// A count of a later version is no mistake: a run may go on by an older one.
const ofVerdicts = <V extends Verdict>(verdicts: readonly V[]) =>
  Object.fromEntries(verdicts.map((verdict) => [verdict, count])) as Record<V, typeof count>;
const countsSchema = z.object({
  ...ofVerdicts(VERDICT_NAMES.filter((verdict): verdict is Exclude<Verdict, DriftVerdict> => !isDrift(verdict))),
  drift: z.strictObject(ofVerdicts(VERDICT_NAMES.filter(isDrift))),
  partitions: count,
  baseItems: count,
  derivedItems: count,
  unknownTypes: z.array(z.strictObject({ type: z.string(), items: count, nearest: z.nullable(z.string()) })),
  changing: z.array(z.strictObject({ name: z.string(), items: count, reason: z.string() })),
  repaired: count,
  rcu: z.number().check(z.minimum(0)),
  wcu: z.number().check(z.minimum(0)),
});

const cursorSchema: z.ZodMiniType<CheckCursor> = z.strictObject({
  version: z.literal(1),
  segments: z.int().check(z.minimum(1)),
  open: openSegmentsSchema,
  suspects: z.array(z.string()),
  items: z.optional(z.array(z.strictObject({ ...key, base: z.optional(z.strictObject(key)) }))),
  totals: countsSchema,
});

/** Returns the totals of a check that has counted nothing yet. */
export function emptyCounts(): CheckCounts {
  return {
    partitions: 0,
    baseItems: 0,
    derivedItems: 0,
    ...noVerdicts(),
    unknownTypes: [],
    changing: [],
    repaired: 0,
    rcu: 0,
    wcu: 0,
  };
}

/** Parses a cursor; throws `invalid-cursor` if the value is none. */
export function parseCursor(value: unknown): CheckCursor {
  const result = cursorSchema.safeParse(value, parsingInEnglish());
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw new EdgeloomError(
    'invalid-cursor',
    `This is not the cursor of a check: ${path.join('.') || 'it'}: ${message}.`,
    'Start the check again without it.',
    { cause: result.error },
  );
}
