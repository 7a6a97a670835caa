/**
 * The verdicts of a check, in one list. The types, the counts and their schema, the exit code, the metrics, the reports, the studio and the
 * table in docs/how-to/operations.md follow from it.
 */

/** When a finding of a verdict makes `edgeloom check` exit with 1. */
type ExitsWith1 = 'unless-repaired' | 'always' | 'unless-explained' | 'with-strict' | 'never';

/** What is known of a verdict. */
export interface VerdictTraits {
  /** What a finding of it says. Links begin at docs/how-to. */
  means: string;
  /** The item that a finding of it names. */
  names: 'derived item' | 'base item';
  /** True if it is counted in `drift`, so that the alarm `Drift` rings. */
  isDrift: boolean;
  /** True if it needs a repair, or a person. */
  isWrong: boolean;
  /** True if `--repair` puts it right. */
  isRepaired: boolean;
  exitsWith1: ExitsWith1;
  /** What its metric counts: `Check`, and the name of the verdict. */
  counts: string;
}

const DRIFT = {
  names: 'derived item',
  isDrift: true,
  isWrong: true,
  isRepaired: true,
  exitsWith1: 'unless-repaired',
} as const;
const NO_DRIFT = { isDrift: false, isWrong: false, isRepaired: false } as const;

/** All verdicts, worst first. */
export const VERDICTS = {
  missing: {
    ...DRIFT,
    means: 'drift: a derived item, or a part of one, that a base item asks for is absent',
    counts: 'Derived items that were absent.',
  },
  stale: {
    ...DRIFT,
    means: "drift: a derived item differs, also by an attribute, expiry or revision that can't occur",
    counts: 'Derived items that differed.',
  },
  orphan: {
    ...DRIFT,
    means: 'drift: no base item asks for the derived item',
    counts: 'Derived items that no base item asks for.',
  },
  quarantined: {
    ...NO_DRIFT,
    ...{ names: 'base item', isWrong: true, exitsWith1: 'always' },
    means: 'a base item could not be projected in full; the reason says why',
    counts: 'Entries of the quarantine, also those that are in no index.',
  },
  unregistered: {
    ...NO_DRIFT,
    ...{ names: 'derived item', isWrong: true, exitsWith1: 'always' },
    means: 'a derived item of a projection or shape that the registry does not know; never repaired or deleted',
    counts: 'Derived items of projections or shapes that the registry does not know.',
  },
  maintenance: {
    ...NO_DRIFT,
    ...{ names: 'derived item', isRepaired: true, exitsWith1: 'never' },
    means:
      'an evicted edge type fits into its view again, a total has room for values of groups again, or a view has an old shape; `--repair` does it now',
    counts: 'Items that are right and could be better: see `maintenance` of a check.',
  },
  pending: {
    ...NO_DRIFT,
    ...{ names: 'derived item', exitsWith1: 'unless-explained' },
    means:
      "differs, but the consumer hasn't read the change yet, a fan-out is on its way, or [the model changes](repair.md#the-check-during-a-change-of-the-model)",
    counts: 'Differences that the consumer may still resolve.',
  },
  dangling: {
    ...NO_DRIFT,
    ...{ names: 'base item', exitsWith1: 'never' },
    means: 'an edge to a node that does not exist; with `--dangling`, at a read unit or two for each',
    counts: 'Edges to a node that does not exist, where a check looks for them.',
  },
  unknown: {
    ...NO_DRIFT,
    ...{ names: 'base item', exitsWith1: 'with-strict' },
    means: 'base items of a type outside the model: one finding; `unknownTypes` has numbers and nearest names',
    counts: 'Base items of types outside the model.',
  },
  superseded: {
    ...NO_DRIFT,
    ...{ names: 'derived item', exitsWith1: 'never' },
    means: 'differed at first, and was right when read again: lag; it is counted, and no finding names it',
    counts: 'Differences that were gone at the second look.',
  },
} as const satisfies Record<string, VerdictTraits>;

/** The verdict of a check on an item; docs/how-to/operations.md says what each means. */
export type Verdict = keyof typeof VERDICTS;

/** A verdict that is counted in `drift`. */
export type DriftVerdict = { [V in Verdict]: (typeof VERDICTS)[V]['isDrift'] extends true ? V : never }[Verdict];

/** The number of findings of each verdict. */
export interface VerdictCounts extends Record<Exclude<Verdict, DriftVerdict>, number> {
  drift: Record<DriftVerdict, number>;
}

/** The names of the verdicts, worst first. */
export const VERDICT_NAMES = Object.keys(VERDICTS) as readonly Verdict[];

/** Counts in which nothing is counted yet. */
export function noVerdicts(): VerdictCounts {
  const zeros = (names: readonly Verdict[]) => Object.fromEntries(names.map((name) => [name, 0]));
  const others = zeros(VERDICT_NAMES.filter((verdict) => !isDrift(verdict)));
  return { drift: zeros(VERDICT_NAMES.filter(isDrift)), ...others } as unknown as VerdictCounts;
}

/** Tells whether a verdict is counted in `drift`. */
export function isDrift(verdict: Verdict): verdict is DriftVerdict {
  return VERDICTS[verdict].isDrift;
}

/** Tells whether a verdict needs a repair, or a person. */
export function isWrongVerdict(verdict: Verdict): boolean {
  return VERDICTS[verdict].isWrong;
}

/** The number of findings of a verdict. */
export function countOf(counts: VerdictCounts, verdict: Verdict): number {
  return isDrift(verdict) ? counts.drift[verdict] : counts[verdict];
}

/** The number of derived items that differ. */
export function driftIn({ drift }: Pick<VerdictCounts, 'drift'>): number {
  return Object.values(drift).reduce((sum, count) => sum + count, 0);
}

/** The number of derived items that differ and were not repaired. */
export function driftLeft(counts: Pick<VerdictCounts, 'drift'> & { repaired: number }): number {
  return Math.max(0, driftIn(counts) - counts.repaired);
}

/** What decides about the exit code of a check besides its counts. */
export interface ExitRules {
  /** True if items are pending, and no lag of a consumer explains that. */
  isUnexplained: boolean;
  /** True if items of types outside the model are not accepted. */
  isStrict: boolean;
}

/** Nothing but drift that is left, and what is always wrong. */
const LENIENT: ExitRules = { isUnexplained: false, isStrict: false };

/** Tells whether a finding of a verdict makes a check exit with 1, if no repair has put it right. */
export function failsCheck(verdict: Verdict, { isUnexplained, isStrict }: ExitRules = LENIENT): boolean {
  const exits: Record<ExitsWith1, boolean> = {
    'unless-repaired': true,
    always: true,
    'unless-explained': isUnexplained,
    'with-strict': isStrict,
    never: false,
  };
  return exits[VERDICTS[verdict].exitsWith1];
}

/** Tells whether all drift that was found is repaired, and nothing else fails a check. */
export function isClean(counts: VerdictCounts & { repaired: number }, rules?: ExitRules): boolean {
  const others = VERDICT_NAMES.filter((verdict) => !isDrift(verdict) && failsCheck(verdict, rules));
  return driftLeft(counts) === 0 && others.every((verdict) => countOf(counts, verdict) === 0);
}
