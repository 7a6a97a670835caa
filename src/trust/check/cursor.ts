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

/** The totals of a check. */
export interface CheckCounts extends VerdictCounts {
  partitions: number;
  baseItems: number;
  derivedItems: number;
  /** Up to 100 node types and edge types that the model lacks, each with its number of base items. */
  unknownTypes: { type: string; kind: 'node' | 'edge'; items: number; nearest: string | null }[];
  /**
   * Projections that a model change is building or removing, each with the number of its items that the scan read. The
   * check doesn't compare these items.
   */
  changing: { name: string; items: number; reason: string }[];
  /** Number of repaired derived items. Items that were only `maintenance` count only with `mode: 'rebuild'`. */
  repaired: number;
  rcu: number;
  wcu: number;
}

/** The place where a check stopped and can continue. */
export interface CheckCursor extends WalkPlace {
  version: 1;
  /** Partitions that differed and weren't decided yet. The next run inspects them as a whole. */
  suspects: string[];
  /**
   * Reverse items, entries of totals and continuations that the next run judges again. `base` is the edge, if the
   * item's key doesn't name it.
   */
  items?: (ItemKey & { base?: ItemKey | undefined })[] | undefined;
  totals: CheckCounts;
}

const count = z.int().check(z.minimum(0));
const key = { source: z.string(), target: z.string() };
const ofVerdicts = <V extends Verdict>(verdicts: readonly V[]) =>
  Object.fromEntries(verdicts.map((verdict) => [verdict, count])) as Record<V, typeof count>;
// Not strict at its top level, because an older version may continue a newer version's run, whose cursor has more counts.
const countsSchema = z.object({
  ...ofVerdicts(VERDICT_NAMES.filter((verdict): verdict is Exclude<Verdict, DriftVerdict> => !isDrift(verdict))),
  drift: z.strictObject(ofVerdicts(VERDICT_NAMES.filter(isDrift))),
  partitions: count,
  baseItems: count,
  derivedItems: count,
  unknownTypes: z.array(
    z.object({
      type: z.string(),
      // Cursors of older versions have no kind.
      kind: z._default(z.enum(['node', 'edge']), 'node'),
      items: count,
      nearest: z.nullable(z.string()),
    }),
  ),
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

/** Validates a cursor. Throws `invalid-cursor` if the value isn't one. */
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
