/** What the check found wrong, or worth knowing. */
export interface Finding {
  source: string;
  /**
   * Sort key of the derived item; of `dangling`, `unknown` and `quarantined` ones, of the base item; in the partition `~edgeloom` the
   * name of a generation or of a shape.
   */
  target: string;
  verdict: Verdict;
  /** What the base items want there; null: nothing. */
  expected: string | null;
  /** What is there; null: nothing. */
  actual: string | null;
  /** Of `pending`: what holds it back is a change of the model, not the consumer. */
  cause?: 'model-change';
}

/**
 * - `missing`: a derived item, or a part of one, that a base item wants is not there;
 * - `stale`: it is there and differs;
 * - `orphan`: it is there and no base item wants it;
 * - `maintenance`: an evicted edge type has shrunk so far that it belongs into the set of its view again, or a view is of
 *   another shape than its type's, so that readers read base items in its place;
 * - `pending`: it differs, and the consumer is known not to have come so far, or a fan-out is on its way, or there was no
 *   time to wait, or the registry has changed meanwhile; in the partition `~edgeloom`: what a change of the model builds or takes away;
 * - `superseded`: it differed and was right when looked at again;
 * - `dangling`: an edge to a node that does not exist (a warning);
 * - `unknown`: a base item of a type outside the model (a warning);
 * - `unregistered`: a derived item of a generation, or a projection, that the table's registry does not know: it is left as it is;
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
