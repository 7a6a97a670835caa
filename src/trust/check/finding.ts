import type { Verdict } from '../../core/verdicts.ts';

/** A difference that the check found, or a fact worth knowing. */
export interface Finding {
  source: string;
  /**
   * Sort key of the item that the verdict names, derived or base; in the partition `~edgeloom`: the name of a generation or of a shape.
   */
  target: string;
  verdict: Verdict;
  /** The content that the base items ask for, by the planner; null: nothing. */
  expected: string | null;
  /** The actual content; null: nothing. For `unknown`: the type. */
  actual: string | null;
  /** For `pending`: a change of the model holds it back, not the consumer. */
  cause?: 'model-change';
}
