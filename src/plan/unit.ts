import type { Item } from '../items/attribute-value.ts';
import { type ChangeRecord, isOlder } from '../items/change-record.ts';
import { degreeKey } from '../items/keys.ts';
import type { ItemKey } from '../store/port.ts';
import type { Problem } from './parts/subject.ts';

/** Seconds since 1970; the projector's clock, only ever used for the expiry of tombstones. */
export type EpochSeconds = number;

/** What a batch says of one base item's part in a view. */
export interface ViewChange {
  /** The base item's sort key. */
  target: string;
  /** Position of its oldest record that changes the view. */
  oldest: string;
  /** The edge type; undefined for the node itself. */
  edgeType?: string;
  /** Every element that any record mentions, each once, the final one included. */
  mentioned: readonly string[];
  /** The element after the newest record; undefined where there is none. */
  element?: string;
  /** The node's projected attributes after the newest record; undefined where the node is absent. */
  attributes?: Item;
  /** Whether a record is older than the shape of the view: the base item decides, whatever the images say. */
  byBase?: boolean;
}

/** What a base item's consistent read says of its part in the view. */
export type Truth = Pick<ViewChange, 'element' | 'attributes'>;

/** What repair takes out of a view besides: no record ever asks for it. */
export interface ViewCorrections {
  /** Edge types that are no longer marked as evicted. */
  unmark?: ReadonlySet<string>;
  /** Elements that name no edge. */
  drop?: readonly string[];
}

/** What all units have. */
export interface UnitBase {
  source: string;
  /** Sort key of the derived item. */
  sortKey: string;
  /** Position of the oldest and the newest record that changes the derived item. */
  oldest: string;
  newest: string;
  /** The records it is made of; a failure is reported with the lowest sequence number of them. */
  records: readonly ChangeRecord[];
}

/** The changes of one batch to one view. */
export interface ViewUnit extends UnitBase {
  kind: 'view';
  changes: readonly ViewChange[];
}

/** The changes of one batch to one index item, or to an edge's reverse item, which is in another partition. */
export interface IndexUnit extends UnitBase {
  kind: 'index';
  /** The base item. */
  base: ItemKey;
  /** The wanted fields after the newest record; undefined: a tombstone. */
  wanted?: Item;
  /** Whether a record is older than the item's generation: the base item decides, whatever the images say. */
  byBase?: boolean;
}

/** The changes of one batch to the index items of edges of one type that are counted, and to their count. */
export interface CountedUnit extends UnitBase {
  kind: 'counted';
  /** What `countNameOf` gives. */
  countName: string;
  items: readonly IndexUnit[];
}

/** The changes of one batch to index items of a node's edges that the node decides with them: none carries an image. */
export interface JoinedUnit extends UnitBase {
  kind: 'joined';
  items: readonly IndexUnit[];
}

/** What a fan-out brings on: copies into the views of children, or a source node's change into its edges' index items. */
export type FanOutOf = 'copies' | 'joined';

/** A record to be quarantined: what could not be derived, and the derived keys that its images concern. */
export interface QuarantineUnit extends UnitBase {
  kind: 'quarantine';
  /** The base item's sort key. */
  target: string;
  problems: readonly Problem[];
  /** Sort keys of derived items of every image in the batch. */
  derivedKeys: readonly string[];
  /** Whether the base item decides what cannot be derived, whatever the images say. */
  byBase?: boolean;
}

/** One piece of work of a batch. */
export type Unit = ViewUnit | IndexUnit | CountedUnit | JoinedUnit | QuarantineUnit | FanOutUnit | ContinuationUnit;

/** A change of a node that reaches others along one edge type: the first page of them is to be visited. */
export interface FanOutUnit extends UnitBase {
  kind: 'fan-out';
  of: FanOutOf;
  edgeType: string;
}

/** A record of a continuation: the next page of a fan-out is to be visited. */
export interface ContinuationUnit extends UnitBase {
  kind: 'continuation';
  of: FanOutOf;
  edgeType: string;
  /** Sort key of the last reverse item that was visited, or of the last edge. */
  after: string;
  /** The place where a further round begins when this one is at its end; undefined: there is none. */
  again: string | undefined;
  /** Revision of the continuation in the record: only from there it may be moved. */
  revision: string | undefined;
}

/** The oldest and the newest position of records, of which there is one at least. */
export function span(records: readonly ChangeRecord[]): { oldest: string; newest: string } {
  let oldest = records[0]!;
  let newest = oldest;
  for (const record of records) {
    if (isOlder(newest, record)) newest = record;
    else if (isOlder(record, oldest)) oldest = record;
  }
  return { oldest: oldest.position, newest: newest.position };
}

/** Counted items of one type and node as one unit; a transaction takes up to a hundred of them. */
export function countedUnit(countName: string, items: readonly IndexUnit[]): CountedUnit {
  const records = items.flatMap((item) => item.records);
  return {
    kind: 'counted',
    source: items[0]!.source,
    sortKey: degreeKey(countName),
    countName,
    items,
    records,
    ...span(records),
  };
}

/** Joined items of one node's edges as one unit: the node is read once for all of them. */
export function joinedUnit(items: readonly IndexUnit[]): JoinedUnit {
  const records = items.flatMap((item) => item.records);
  const [{ source, sortKey }] = items as [IndexUnit];
  return { kind: 'joined', source, sortKey, items, records, ...span(records) };
}

/** Each item of a unit of several as a unit of its own. */
export function oneByOne(unit: CountedUnit | JoinedUnit): Unit[] {
  return unit.items.map((item) => (unit.kind === 'counted' ? countedUnit(unit.countName, [item]) : joinedUnit([item])));
}
