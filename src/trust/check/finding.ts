import type { Verdict } from '../../core/verdicts.ts';

/** A difference that the check found, or a fact worth knowing. */
export interface Finding {
  source: string;
  /**
   * Sort key of the base or derived item that the verdict is about. In the partition `~edgeloom`: the name of a
   * generation or of a shape.
   */
  target: string;
  verdict: Verdict;
  /** The content that the base items ask for; null: nothing. For `dangling`: the node. */
  expected: string | null;
  /** The stored content; null: nothing. For `unknown`: the type; for `quarantined` and some `pending`: the reason. */
  actual: string | null;
  /** Set on `pending` if a model change, not the consumer's lag, delays the item. */
  cause?: 'model-change';
}
