/** What the check found wrong, or worth knowing. */
export interface Finding {
  source: string;
  /** Sort key of the derived item; of `dangling`, `unknown` and `quarantined` ones, of the base item. */
  target: string;
  verdict: Verdict;
  /** What the base items want there; null: nothing. */
  expected: string | null;
  /** What is there; null: nothing. */
  actual: string | null;
}

/**
 * - `missing`: a derived item, or a part of one, that a base item wants is not there;
 * - `stale`: it is there and differs;
 * - `orphan`: it is there and no base item wants it;
 * - `pending`: it differs, and the consumer is known not to have come so far, or there was no time to wait;
 * - `superseded`: it differed and was right when looked at again;
 * - `dangling`: an edge to a node that does not exist (a warning);
 * - `unknown`: a base item of a type outside the model (a warning);
 * - `quarantined`: a base item that could not be projected in full.
 */
export type Verdict =
  | 'missing'
  | 'stale'
  | 'orphan'
  | 'pending'
  | 'superseded'
  | 'dangling'
  | 'unknown'
  | 'quarantined';

/** The verdicts that are drift. */
export const DRIFT = ['missing', 'stale', 'orphan'] as const satisfies readonly Verdict[];

/** A derived item, or a part of one, that may be wrong. */
export interface Suspect {
  source: string;
  /** Sort key of the derived item. */
  sortKey: string;
  part: SuspectPart;
}

/** Stands for the set of a view that is no string set, as no element does. */
export const NO_SET = 'a set that is no string set';

/** Which part of a derived item, and what decides about it. */
export type SuspectPart =
  /** The fields of an index item; `target`: sort key of the base item that would want them, where there is one. */
  | { kind: 'fields'; target: string | undefined }
  /** The elements of one edge in a view; `target`: the edge's sort key. */
  | { kind: 'element'; target: string }
  /** An element of a view that names no edge, or `NO_SET`. */
  | { kind: 'garbage'; element: string }
  /** A node's attributes in its view. */
  | { kind: 'attributes' }
  /** The mark of an evicted edge type. */
  | { kind: 'mark'; edgeType: string }
  /** The count of edges of a type. */
  | { kind: 'degree'; edgeType: string }
  | { kind: 'watermark' }
  /** The expiry of an item that is no tombstone: TTL would delete what readers need. */
  | { kind: 'expiry' }
  /** A derived sort key of no known kind. */
  | { kind: 'unknown-item' };
