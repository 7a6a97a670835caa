import type { EdgeSetElement } from '../read/request/result.ts';

/** What all changes have in common. */
export interface ItemChange {
  /** Identifies the derived item or, for a native list, the base item. */
  item: string;
  /**
   * 56 characters, compared as text: the record's time in milliseconds, then the item's revision or, for a native list, the sequence
   * number. The higher revision is newer.
   */
  revision: string;
  /** The same each time that the change is delivered. */
  eventId: string;
  /** True if the change is too large for an event: attributes, value and edges are left out. */
  truncated?: true;
}

/** A node's attributes or edges have changed, as its view shows them. */
export interface ViewChange extends ItemChange {
  kind: 'view';
  type: string;
  id: string;
  /** The part of the node that the attributes belong to. Absent for the node itself. */
  part?: string;
  /** Attributes after the change. Null if the node or part doesn't exist. */
  attributes: Record<string, unknown> | null;
  /** Edges that were removed, and the old state of changed edges. */
  left?: EdgeSetElement[];
  /** Edges that were added, and the new state of changed edges. */
  entered?: EdgeSetElement[];
  /** Edge types that the edge set has no room for. When a type fits again, `entered` has all of its edges. */
  outgrown?: string[];
}

/** A place in a list. */
export interface ListedPlace {
  /** The sort key of the index. */
  place: string;
  /** The value of the partition attribute, if the model declares one. */
  partition?: string;
}

/** A row of a list has changed. Without `left` and `entered`, only its attributes differ. */
export interface RowChange extends ItemChange {
  /** Id of the edge's source, or of the search's hit. */
  id: string;
  left?: ListedPlace;
  entered?: ListedPlace;
  /** Projected attributes after the change. Null if the row is gone. */
  attributes: Record<string, unknown> | null;
}

/** A row in a list of incoming edges has changed. */
export interface ListChange extends RowChange {
  kind: 'list';
  type: string;
  /** With hashed keys, the target is the hash of the node's id: see `hashedEdgeKey`. */
  list: { inbound: [target: string, type: string]; order: string };
}

/** A row in the list of all nodes of a type (`list: true`) has changed. */
export interface NodeListChange extends RowChange {
  kind: 'list';
  type: string;
  list: { nodes: string };
}

/** A hit of a search has changed. */
export interface SearchChange extends RowChange {
  kind: 'search';
  type: string;
  /** Such as `USER.name`. */
  list: { search: string };
  /** The value as it was written. If the hit is gone, the last value. */
  value: unknown;
}

/** A count, sum or group of a node's edges has changed. */
export interface CountChange extends ItemChange {
  kind: 'count';
  type: string;
  id: string;
  direction: 'outgoing' | 'inbound';
  /** Like the result of `Reader.total`. Without `groups` if a group has no room for all values. */
  attributes: Record<string, unknown>;
}

/** A change of a derived item, in terms of the model. */
export type FeedChange = ViewChange | ListChange | NodeListChange | SearchChange | CountChange;

/** Changes may have been missed: read again what you keep. */
export interface FeedResync {
  kind: 'resync';
  /** The lists, views and counts to read again, such as `search USER.name`. Absent: everything. */
  of?: string[];
  reason: string;
  /** Differs if the feed reports the same gap again, as after a crash. */
  eventId: string;
}

/** An event of the feed. */
export type FeedEvent = FeedChange | FeedResync;
