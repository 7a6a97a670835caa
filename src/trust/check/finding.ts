/** A difference that the check found, or a fact worth knowing. */
export interface Finding {
  source: string;
  /**
   * Sort key of the derived item; for `dangling`, `unknown`, and `quarantined`: of the base item; in the partition
   * `~edgeloom`: the name of a generation or of a shape.
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

/**
 * - `missing`: a base item asks for a derived item, or for a part of one, that does not exist;
 * - `stale`: the derived item exists and differs;
 * - `orphan`: the derived item exists and no base item asks for it;
 * - `maintenance`: an evicted edge type has shrunk enough to come back into the edge set of its view, a count has room again for
 *   values of groups without a name, or a view has another shape than its type, so that readers read base items instead;
 * - `pending`: it differs, and the consumer is known to be behind, or a fan-out is under way, or there was no time to wait, or the
 *   registry has changed meanwhile; in the partition `~edgeloom`: a projection that a change of the model builds or removes;
 * - `superseded`: it differed, and was right at the second look;
 * - `dangling`: an edge to a node that does not exist (a warning);
 * - `unknown`: a base item of a type outside the model (a warning);
 * - `unregistered`: a derived item of a generation, or a projection, that the table's registry does not know; a repair leaves it;
 * - `quarantined`: a base item that could not be projected in full.
 */
export type Verdict =
  | 'missing'
  | 'stale'
  | 'orphan'
  | 'maintenance'
  | 'pending'
  | 'superseded'
  | 'dangling'
  | 'unknown'
  | 'unregistered'
  | 'quarantined';

/** The verdicts that are drift. */
export const DRIFT = ['missing', 'stale', 'orphan'] as const satisfies readonly Verdict[];
/** The verdicts that need a person, or a repair; worst first. */
export const WRONG = [...DRIFT, 'quarantined', 'unregistered'] as const satisfies readonly Verdict[];
/** The verdicts of findings, worst first. */
export const REPORTED = [
  ...WRONG,
  'maintenance',
  'pending',
  'dangling',
  'unknown',
] as const satisfies readonly Verdict[];
