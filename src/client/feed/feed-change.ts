import type { EdgeSetElement } from '../read/request/result.ts';

/** The part that all changes have. */
export interface ItemChange {
  /**
   * Names the derived item that has changed: one row, one view or one count. A row of a native list is named by its base item. Of two
   * changes of a list with the same `item`, the one with the higher `revision` is the newer one.
   */
  item: string;
  /**
   * A text of 56 characters, which compares as text: `left < right`. It is the time of the record, in milliseconds since 1970 and as exact as
   * the stream tells it, which is a second. Then comes a number: how often the derived item has been written, or of a row of a native list
   * the sequence number of the record. So it does not fall where an item is deleted and made again, or the table is restored. Within one second it falls
   * only where a derived item is deleted by hand and made again, or where the shard of a base item is replaced by one with lower numbers.
   */
  revision: string;
  /**
   * The same each time that the change comes: the sequence number of its record, the revision of a derived item and a hash of the item, and
   * of a list `/` and the order.
   */
  eventId: string;
  /** There where the change has no room in an event: attributes, value and edges are left out, so read the node. */
  truncated?: true;
}

/** A node as its view shows it has changed: its attributes, its edges, or both. */
export interface ViewChange extends ItemChange {
  kind: 'view';
  /** The node's type. */
  type: string;
  id: string;
  /** The part of the node that the attributes are of; absent: the node itself. */
  part?: string;
  /** The attributes as they are now; null: there is no such node, or part. */
  attributes: Record<string, unknown> | null;
  /** Edges that have gone from the edge set, or have changed. */
  left?: EdgeSetElement[];
  /** Edges that have come into the edge set, or have changed. */
  entered?: EdgeSetElement[];
  /**
   * Edge types that the edge set has no room for: it tells nothing of their edges, so read the node where you need
   * them. Once a type is not among them any more, `entered` has all of its edges.
   */
  outgrown?: string[];
}

/** A place in a list. */
export interface ListedPlace {
  /** The sort key of the index: the rows of a list are in the order of the UTF-8 bytes of their places. */
  place: string;
  /** The value of the partition attribute, where the model declares one. */
  partition?: string;
}

/** A row of a list has come, gone or changed. With both `left` and `entered` it has moved; with neither its attributes are others. */
export interface RowChange extends ItemChange {
  /** The node of the row: the source of the edge, or the hit of the search. */
  id: string;
  /** Where the row was. */
  left?: ListedPlace;
  /** Where the row is now. */
  entered?: ListedPlace;
  /** The row's projected attributes as they are now; null: the row has gone. */
  attributes: Record<string, unknown> | null;
}

/** A row of a list of incoming edges has changed. */
export interface ListChange extends RowChange {
  kind: 'list';
  /** The edge type. */
  type: string;
  /**
   * The list. `inbound` names the node that the edges enter, and the edge type. For an edge type with hashed keys, it has the
   * hash of the node's id instead of the id: see `hashedEdgeKey`.
   */
  list: { inbound: [target: string, type: string]; order: string };
}

/** A row of the list of all nodes of a type has changed (`list: true`). */
export interface NodeListChange extends RowChange {
  kind: 'list';
  /** The node type. */
  type: string;
  /** The list: the node type. */
  list: { nodes: string };
}

/** A hit of a search has changed. */
export interface SearchChange extends RowChange {
  kind: 'search';
  /** The node type. */
  type: string;
  /** The search: `USER.name`. */
  list: { search: string };
  /** The value that the node is found by, as it was written; of a hit that has gone the last one. */
  value: unknown;
}

/** The number of a node's edges of a type has changed, or a sum, or a group. */
export interface CountChange extends ItemChange {
  kind: 'count';
  /** The edge type. */
  type: string;
  /** The node. */
  id: string;
  direction: 'outgoing' | 'inbound';
  /** `count`, each sum as a decimal text, and `groups`, as `Reader.total` gives them; without `groups` where a group has no room for all values. */
  attributes: Record<string, unknown>;
}

/** A change of a derived item, in terms of the model. */
export type FeedChange = ViewChange | ListChange | NodeListChange | SearchChange | CountChange;

/** Changes may have been left out: read again what you keep. */
export interface FeedResync {
  kind: 'resync';
  /** The lists and views to read again, such as `search USER.name`, `nodes USER` and `view USER`; absent: everything. */
  of?: string[];
  /** One sentence. */
  reason: string;
  /** The same each time that the event comes. */
  eventId: string;
}

/** An event of the feed. */
export type FeedEvent = FeedChange | FeedResync;
