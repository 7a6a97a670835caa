import type { EdgeSetElement } from '../read/request/result.ts';

/** What all changes have in common. */
export interface ItemChange {
  /**
   * Identifies the derived item that has changed: a row, a view or a count. A row of a native list is identified by its
   * base item. Of two changes to the same `item` of a list, the one with the higher `revision` is newer.
   */
  item: string;
  /**
   * 56 characters, compared as text: `left < right`. The record's time in milliseconds since 1970 (streams have whole
   * seconds), then how often the derived item has been written or, for a native list, the record's sequence number. The
   * revision doesn't fall when an item is deleted and made again, or the table restored; except within one second, if a
   * derived item is deleted by hand and made again, or a base item's stream shard is replaced by one with lower
   * numbers.
   */
  revision: string;
  /**
   * The same each time that the change is delivered. Made of the record's sequence number, the derived item's revision,
   * a hash of the item and, for a list, `/` and the order.
   */
  eventId: string;
  /** Set if the change is too large for an event: attributes, value and edges are left out. Read the node. */
  truncated?: true;
}

/** A node's attributes or edges have changed, as its view shows them. */
export interface ViewChange extends ItemChange {
  kind: 'view';
  /** The node's type. */
  type: string;
  id: string;
  /** The part of the node that the attributes belong to; absent: the node itself. */
  part?: string;
  /** The attributes after the change; null: the node or part doesn't exist. */
  attributes: Record<string, unknown> | null;
  /** Edges removed from the edge set, or changed (as they were). */
  left?: EdgeSetElement[];
  /** Edges added to the edge set, or changed (as they are now). */
  entered?: EdgeSetElement[];
  /**
   * Edge types that the edge set has no room for. Changes of their edges aren't reported: read the node if you need
   * them. When a type fits again, `entered` has all of its edges.
   */
  outgrown?: string[];
}

/** A place in a list. */
export interface ListedPlace {
  /** The sort key of the index. Lists are sorted by the UTF-8 bytes of their places. */
  place: string;
  /** The value of the partition attribute, if the model declares one. */
  partition?: string;
}

/**
 * A row of a list was added, removed or changed. With `left` and `entered` it has moved; with neither, only its
 * attributes differ.
 */
export interface RowChange extends ItemChange {
  /** The row's node: the source of the edge, or the search's hit. */
  id: string;
  /** Where the row was before. */
  left?: ListedPlace;
  /** Where the row is now. */
  entered?: ListedPlace;
  /** The row's projected attributes after the change; null: the row is gone. */
  attributes: Record<string, unknown> | null;
}

/** A row in a list of incoming edges has changed. */
export interface ListChange extends RowChange {
  kind: 'list';
  /** The edge type. */
  type: string;
  /**
   * `inbound` names the node that the edges enter, and the edge type. For an edge type with hashed keys, it holds the
   * hash of the node's id: see `hashedEdgeKey`.
   */
  list: { inbound: [target: string, type: string]; order: string };
}

/** A row in the list of all nodes of a type (`list: true`) has changed. */
export interface NodeListChange extends RowChange {
  kind: 'list';
  /** The node type. */
  type: string;
  /** The list's node type. */
  list: { nodes: string };
}

/** A hit of a search has changed. */
export interface SearchChange extends RowChange {
  kind: 'search';
  /** The node type. */
  type: string;
  /** The search: `USER.name`. */
  list: { search: string };
  /** The value that the node is found by, as it was written; the last value if the hit is gone. */
  value: unknown;
}

/** A count, sum or group of a node's edges has changed. */
export interface CountChange extends ItemChange {
  kind: 'count';
  /** The edge type. */
  type: string;
  /** The node. */
  id: string;
  direction: 'outgoing' | 'inbound';
  /**
   * `count`, each sum as a decimal text, and `groups`, as from `Reader.total`; without `groups` if a group has no room
   * for all values.
   */
  attributes: Record<string, unknown>;
}

/** A change of a derived item, in terms of the model. */
export type FeedChange = ViewChange | ListChange | NodeListChange | SearchChange | CountChange;

/** Changes may have been missed: read what you keep again. */
export interface FeedResync {
  kind: 'resync';
  /** The lists and views to read again, such as `search USER.name`, `nodes USER` and `view USER`; absent: everything. */
  of?: string[];
  /** One sentence. */
  reason: string;
  /** The same each time that the event is delivered. */
  eventId: string;
}

/** An event of the feed. */
export type FeedEvent = FeedChange | FeedResync;
