import type { EdgeSetElement } from '../read/request/result.ts';

/** Fields of every change. */
export interface ItemChange {
  /** Identifies the derived item or, for a native list, the base item. */
  item: string;
  /**
   * Compares as text; the higher revision is newer. 56 characters: the record's time in milliseconds, then the item's
   * revision or, for a native list, the record's sequence number.
   */
  revision: string;
  /** Stays the same when a change is delivered again. */
  eventId: string;
  /**
   * True if the change was too large for an event: then its attributes are empty, its value is null, and its edges are
   * missing.
   */
  truncated?: true;
}

/** A change to a node's view: its attributes or its edges. */
export interface ViewChange extends ItemChange {
  kind: 'view';
  type: string;
  id: string;
  /** Name of the part that the attributes belong to. Absent for the node itself. */
  part?: string;
  /** Attributes after the change. Null if the node or part doesn't exist. */
  attributes: Record<string, unknown> | null;
  /** Edges that were removed, and the old state of changed edges. */
  left?: EdgeSetElement[];
  /** Edges that were added, and the new state of changed edges. */
  entered?: EdgeSetElement[];
  /** Edge types that don't fit into the edge set. When a type fits again, `entered` has all of its edges. */
  outgrown?: string[];
}

/** A row's position in a list. */
export interface ListedPlace {
  /** The row's sort key in the index. */
  place: string;
  /** The value of the partition attribute, if the model declares one. */
  partition?: string;
}

/** A change to a row of a list. Without `left` and `entered`, the row keeps its position. */
export interface RowChange extends ItemChange {
  /** Id of the edge's source, or of the node found. */
  id: string;
  left?: ListedPlace;
  entered?: ListedPlace;
  /** Projected attributes after the change. Null if the row is gone. */
  attributes: Record<string, unknown> | null;
}

/** A change to a row in a list of incoming edges. */
export interface ListChange extends RowChange {
  kind: 'list';
  type: string;
  /** For edges with hashed keys, `target` is `#` and the hash of the node's id, as in `hashedEdgeKey`. */
  list: { inbound: [target: string, type: string]; order: string };
}

/** A change to a row in the list of all nodes of a type (`list: true`). */
export interface NodeListChange extends RowChange {
  kind: 'list';
  type: string;
  list: { nodes: string };
}

/** A change to a hit of a search. */
export interface SearchChange extends RowChange {
  kind: 'search';
  type: string;
  /** The type and name of the search, such as `USER.name`. */
  list: { search: string };
  /** The value as written, or the last value if the hit is gone. */
  value: unknown;
}

/** A change to a count, sum or group of a node's edges. */
export interface CountChange extends ItemChange {
  kind: 'count';
  type: string;
  id: string;
  direction: 'outgoing' | 'inbound';
  /**
   * The amounts, as `Reader.total` returns them. `groups` is absent for a plain count, and if a group has too many
   * values.
   */
  attributes: Record<string, unknown>;
}

/** A change to a view, list, search or count. */
export type FeedChange = ViewChange | ListChange | NodeListChange | SearchChange | CountChange;

/** Reports that changes may have been missed. Reread what you keep. */
export interface FeedResync {
  kind: 'resync';
  /** The projections to reread, such as `search USER.name`. Absent if everything may be affected. */
  of?: string[];
  reason: string;
  /** Differs when the same gap is reported again, such as after a crash. */
  eventId: string;
}

/** A change, or a resync after missed changes. */
export type FeedEvent = FeedChange | FeedResync;
