import type { ChangeRecord } from '../items/change-record.ts';
import { type DerivedSortKey, requireDerivedSortKey, VIEW_KEY } from '../items/keys.ts';
import { entryKeyOf, type FanOutOf } from '../model/projection/places.ts';
import type { ItemKey } from '../store-port.ts';

/** A touched derived item: it may differ from what the base items ask for now. A touch says which item, never what it holds. */
export type Touch = ItemTouch | ViewTouch | EntryTouch | FanOutTouch | ContinuationTouch;

/** The fields of all touches. */
interface TouchBase {
  /** Partition of the derived item. */
  source: string;
  /** Sort key of the derived item. */
  sortKey: DerivedSortKey;
  /** The records that touch the item; none where a scan does. A failure is reported with the lowest of them. */
  records: readonly ChangeRecord[];
}

/** An index item, the view of a part, or an item of an edge in its target's partition. */
export interface ItemTouch extends TouchBase {
  kind: 'item';
  /** The base item that asks for it; a joined item depends on that one's source node, too. */
  base: ItemKey;
}

/** A view, in the parts that some base items decide. */
export interface ViewTouch extends TouchBase {
  kind: 'view';
  /** The sort keys of these base items: the node's own, and those of edges. */
  targets: readonly string[];
}

/** The quarantine entry of a base item: it is there exactly while the base item cannot be derived in full. */
export interface EntryTouch extends TouchBase {
  kind: 'entry';
  base: ItemKey;
  /** True if the entry may be left as it is where it is right: its record shows no fault, neither before nor after. */
  isLook?: true;
}

/** A fan-out from a node to the items that show the node, along one edge type. `sortKey` is that of its continuation. */
export interface FanOutTouch extends TouchBase {
  kind: 'fan-out';
  of: FanOutOf;
  edgeType: string;
}

/** The next page of a fan-out, which a record of its continuation asks for. */
export interface ContinuationTouch extends TouchBase {
  kind: 'continuation';
  /** True if nothing needs the fan-out any more: it ends, and no page is visited. */
  isEnding: boolean;
  of: FanOutOf;
  edgeType: string;
  /** Revision of the continuation in the record: the continuation may be moved only from this revision. Absent if the record has no image. */
  revision?: string | undefined;
}

/** The touch of an item that no record asks for. */
export function itemTouch({ source, target }: ItemKey, base: ItemKey): ItemTouch {
  return { kind: 'item', source, sortKey: requireDerivedSortKey(target), base, records: [] };
}

/** The touch of a view, in the parts of some base items, that no record asks for. */
export function viewTouch(source: string, targets: readonly string[]): ViewTouch {
  return { kind: 'view', source, sortKey: VIEW_KEY, targets, records: [] };
}

/** The touch of a base item's quarantine entry that no record asks for. */
export function entryTouch(base: ItemKey): EntryTouch {
  return { kind: 'entry', source: base.source, sortKey: entryKeyOf(base.target), base, records: [] };
}

/** The key of the derived item that is touched. */
export function keyOfTouch({ source, sortKey }: Touch): ItemKey {
  return { source, target: sortKey };
}
