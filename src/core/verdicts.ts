type ExitsWith1 = 'unless-repaired' | 'always' | 'unless-explained' | 'with-strict' | 'never';

export interface VerdictTraits {
  /** Text for the documentation, with links relative to docs/how-to. */
  means: string;
  names: 'derived item' | 'base item';
  /** Triggers the alarm `Drift`. */
  isDrift: boolean;
  /** Needs a repair, or a person's attention. */
  isWrong: boolean;
  isRepaired: boolean;
  exitsWith1: ExitsWith1;
  /** The description of the verdict's metric, whose name is `Check` followed by the verdict's name. */
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

/** The types, counts, exit code, metrics, the studio and docs/how-to/operations.md all follow from this table. */
export const VERDICTS = {
  missing: {
    ...DRIFT,
    means: 'drift: a derived item, or a part of it, is absent although a base item requires it',
    counts: 'Derived items that were absent.',
  },
  stale: {
    ...DRIFT,
    means:
      "drift: a derived item differs from its expected content, or has an attribute, expiry or revision that can't occur",
    counts: 'Derived items that differed.',
  },
  orphan: {
    ...DRIFT,
    means: 'drift: no base item requires the derived item',
    counts: 'Derived items that no base item asks for.',
  },
  quarantined: {
    ...NO_DRIFT,
    ...{ names: 'base item', isWrong: true, exitsWith1: 'always' },
    means: "a base item couldn't be projected in full. The reason explains why",
    counts: 'Entries of the quarantine, also those that are in no index.',
  },
  unregistered: {
    ...NO_DRIFT,
    ...{ names: 'derived item', isWrong: true, exitsWith1: 'always' },
    means:
      "a derived item whose projection, or version of the projection, isn't in the registry. The check never repairs or deletes the item",
    counts: 'Derived items of projections or generations that the registry does not know.',
  },
  maintenance: {
    ...NO_DRIFT,
    ...{ names: 'derived item', isRepaired: true, exitsWith1: 'never' },
    means:
      'correct, but can be improved, for example because a view has an old form, a view has room again for an evicted edge type, or a total has room again for group values that were left out. `--repair` improves the item',
    counts: 'Items that are right and could be better: see `maintenance` of a check.',
  },
  pending: {
    ...NO_DRIFT,
    ...{ names: 'derived item', exitsWith1: 'unless-explained' },
    means:
      "a difference that may still go away, because the consumer hasn't read the change yet, a fan-out is running, or [the model is changing](repair.md#the-check-during-a-change-of-the-model)",
    counts: 'Differences that the consumer may still resolve.',
  },
  dangling: {
    ...NO_DRIFT,
    ...{ names: 'base item', exitsWith1: 'never' },
    means:
      "an edge to a node that doesn't exist. Found only with `--dangling`, which costs one or two read units for each edge",
    counts: 'Edges to a node that does not exist, where a check looks for them.',
  },
  unknown: {
    ...NO_DRIFT,
    ...{ names: 'base item', exitsWith1: 'with-strict' },
    means:
      "base items whose type isn't in the model, reported as one finding. `unknownTypes` lists the types, with their counts and similar names in the model",
    counts: 'Base items of types outside the model.',
  },
  superseded: {
    ...NO_DRIFT,
    ...{ names: 'derived item', exitsWith1: 'never' },
    means:
      'a difference that was gone when the item was read again, so the item was only late. Counted, but not listed as a finding',
    counts: 'Differences that were gone at the second look.',
  },
} as const satisfies Record<string, VerdictTraits>;

/** A check's verdict on an item. docs/how-to/operations.md explains each verdict. */
export type Verdict = keyof typeof VERDICTS;

/** A verdict that counts as `drift`. */
export type DriftVerdict = { [V in Verdict]: (typeof VERDICTS)[V]['isDrift'] extends true ? V : never }[Verdict];

/** The number of findings by verdict. */
export interface VerdictCounts extends Record<Exclude<Verdict, DriftVerdict>, number> {
  drift: Record<DriftVerdict, number>;
}

/** The verdicts, worst first. */
export const VERDICT_NAMES = Object.keys(VERDICTS) as readonly Verdict[];

export function noVerdicts(): VerdictCounts {
  const zeros = (names: readonly Verdict[]) => Object.fromEntries(names.map((name) => [name, 0]));
  const others = zeros(VERDICT_NAMES.filter((verdict) => !isDrift(verdict)));
  return { drift: zeros(VERDICT_NAMES.filter(isDrift)), ...others } as unknown as VerdictCounts;
}

export function isDrift(verdict: Verdict): verdict is DriftVerdict {
  return VERDICTS[verdict].isDrift;
}

export function isWrongVerdict(verdict: Verdict): boolean {
  return VERDICTS[verdict].isWrong;
}

export function countOf(counts: VerdictCounts, verdict: Verdict): number {
  return isDrift(verdict) ? counts.drift[verdict] : counts[verdict];
}

export function driftIn({ drift }: Pick<VerdictCounts, 'drift'>): number {
  return Object.values(drift).reduce((sum, count) => sum + count, 0);
}

export function driftLeft(counts: Pick<VerdictCounts, 'drift'> & { repaired: number }): number {
  return Math.max(0, driftIn(counts) - counts.repaired);
}

export interface ExitRules {
  /** True if neither a consumer's lag nor a change of the model explains why items are pending. */
  isUnexplained: boolean;
  /** True if types outside the model count as errors. */
  isStrict: boolean;
}

export function failsCheck(verdict: Verdict, { isUnexplained, isStrict }: Partial<ExitRules> = {}): boolean {
  const exits: Record<ExitsWith1, boolean> = {
    'unless-repaired': true,
    always: true,
    'unless-explained': isUnexplained === true,
    'with-strict': isStrict === true,
    never: false,
  };
  return exits[VERDICTS[verdict].exitsWith1];
}

export function isClean(counts: VerdictCounts & { repaired: number }, rules?: ExitRules): boolean {
  const others = VERDICT_NAMES.filter((verdict) => !isDrift(verdict) && failsCheck(verdict, rules));
  return driftLeft(counts) === 0 && others.every((verdict) => countOf(counts, verdict) === 0);
}
