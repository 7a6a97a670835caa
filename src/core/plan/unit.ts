import type { Item } from '../items/attribute-value.ts';
import { type ChangeRecord, isOlder } from '../items/change-record.ts';
import type { DerivedSortKey } from '../items/keys.ts';
import type { Problem } from '../kinds/parts/subject.ts';
import type { FanOutOf } from '../model/projection/places.ts';
import type { ItemKey } from '../store-port.ts';

/** Seconds since 1970; the projector's clock, only ever used for the expiry of tombstones. */
export type EpochSeconds = number;

/** The changes of one batch to one base item's part in a view. */
export interface ViewChange {
  /** The base item's sort key. */
  target: string;
  /** Position of the oldest of its records that changes the view. */
  oldest: string;
  /** The edge type; undefined for the node itself. */
  edgeType?: string;
  /** Every element in any of the records, without duplicates, the final one included. */
  mentioned: readonly string[];
  /** The element after the newest record; undefined if there is none. */
  element?: string;
  /** The node's projected attributes after the newest record; undefined if the node is absent. */
  attributes?: Item;
  /** True if a record is older than the shape of the view: then the base item decides, whatever the images say. */
  byBase?: boolean;
}

/** The part of a base item in the view, from a consistent read of the base item. */
export type Truth = Pick<ViewChange, 'element' | 'attributes'>;

/** Corrections of a view by repair. No record ever asks for them. */
export interface ViewCorrections {
  /** Edge types whose mark of eviction is removed. */
  unmark?: ReadonlySet<string>;
  /** Malformed elements, which name no edge: the update removes them. */
  drop?: readonly string[];
}

/** The fields of all units. */
export interface UnitBase {
  source: string;
  /** Sort key of the derived item. */
  sortKey: string;
  /** Position of the oldest and the newest record that changes the derived item. */
  oldest: string;
  newest: string;
  /** The records that the unit is made of. A failure is reported with the lowest sequence number of them. */
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
  sortKey: DerivedSortKey;
  /** The base item. */
  base: ItemKey;
  /** The expected fields after the newest record; undefined: a tombstone. */
  expected?: Item;
  /** True if a record is older than the item's generation: then the base item decides, whatever the images say. */
  byBase?: boolean;
}

/** The changes of one batch to the index items of counted edges of one type, and to their count. */
export interface CountedUnit extends UnitBase {
  kind: 'counted';
  sortKey: DerivedSortKey;
  /** The name of the count, which its items hold. */
  countName: string;
  items: readonly IndexUnit[];
}

/** The changes of one batch to joined index items of a node's edges. None of them carries an image. */
export interface JoinedUnit extends UnitBase {
  kind: 'joined';
  items: readonly IndexUnit[];
}

/** A record to be quarantined: its problems, and the derived keys of its images. */
export interface QuarantineUnit extends UnitBase {
  kind: 'quarantine';
  /** The base item's sort key. */
  target: string;
  problems: readonly Problem[];
  /** The sort keys of all derived items that the images of the base item in the batch ask for. */
  derivedKeys: readonly string[];
  /** True if the base item is derived again when the unit is applied, whatever the images say. */
  byBase?: boolean;
}

/** One piece of work of a batch. */
export type Unit = ViewUnit | IndexUnit | CountedUnit | JoinedUnit | QuarantineUnit | FanOutUnit | ContinuationUnit;

/** A change of a node that other items show, along one edge type: the first page of them is to be visited. */
export interface FanOutUnit extends UnitBase {
  kind: 'fan-out';
  of: FanOutOf;
  edgeType: string;
}

/** A record of a continuation: the next page of a fan-out is to be visited. */
export interface ContinuationUnit extends UnitBase {
  kind: 'continuation';
  /** True if nothing needs the fan-out any more: it ends, and no page is visited. */
  isEnding: boolean;
  of: FanOutOf;
  edgeType: string;
  /** Sort key of the last visited reverse item, or of the last visited edge. */
  after: string;
  /** The place where another round begins after this one; undefined: there is none. */
  again: string | undefined;
  /** Revision of the continuation in the record: it may be moved only from this revision. */
  revision: string | undefined;
}

/** The oldest and the newest position of some records; there must be at least one. */
export function positionSpan(records: readonly ChangeRecord[]): { oldest: string; newest: string } {
  let oldest = records[0]!;
  let newest = oldest;
  for (const record of records) {
    if (isOlder(newest, record)) newest = record;
    else if (isOlder(record, oldest)) oldest = record;
  }
  return { oldest: oldest.position, newest: newest.position };
}
