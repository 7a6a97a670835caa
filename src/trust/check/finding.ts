import type { Verdict } from '../../core/verdicts.ts';

/** A difference that the check found, or a fact worth knowing. */
export interface Finding {
  source: string;
  /**
   * Sort key of the base or derived item that the verdict is about. In the partition `~edgeloom`: the name of a
   * projection that a model change is building or removing.
   */
  target: string;
  verdict: Verdict;
  /** The content that the base items ask for; null if they ask for none. For `dangling`: the missing node. */
  expected: string | null;
  /**
   * The stored content; null if there is none. For `unknown`: the type. For `quarantined` and some `pending`: the
   * reason.
   */
  actual: string | null;
  /** Set on `pending` if a model change, not the consumer's lag, delays the item. */
  cause?: 'model-change';
}
