import type { ChangeRecord } from '../items/change-record.ts';
import { type DerivedSortKey, requireDerivedSortKey, VIEW_KEY } from '../items/keys.ts';
import { entryKeyOf, type FanOutOf } from '../model/projection/places.ts';
import type { ItemKey } from '../store-port.ts';

/** A derived item that may differ from what the base items ask for. Holds the item's key, never its content. */
export type Touch = ItemTouch | ViewTouch | EntryTouch | FanOutTouch | ContinuationTouch;

/** A touch of an item that is reconciled at once, not page by page. */
export type Reconcilable = ItemTouch | ViewTouch | EntryTouch;

export interface TouchBase {
  source: string;
  sortKey: DerivedSortKey;
  /**
   * The records that made the touch; none for a scan. A failure is reported with the lowest sequence number among them.
   */
  records: readonly ChangeRecord[];
}

export interface ItemTouch extends TouchBase {
  kind: 'item';
  /** The base item that determines the item. A joined item also depends on the source node. */
  base: ItemKey;
}

export interface ViewTouch extends TouchBase {
  kind: 'view';
  /** The sort keys of these base items: the node itself, and edges. */
  targets: readonly string[];
  /** Set by a redrive, which compares everything in the view with all base items of the partition. */
  isWhole?: true;
  /** Set by a repair: evicted edge types that fit into the view again. */
  returning?: readonly string[];
}

/** Touches a quarantine entry, which exists only while the base item can't be derived in full. */
export interface EntryTouch extends TouchBase {
  kind: 'entry';
  base: ItemKey;
  /** If true, an absent entry stays unwritten unless the base item has a fault. */
  isLook?: true;
}

/** Begins a fan-out. `sortKey` is the key of its continuation. */
export interface FanOutTouch extends TouchBase {
  kind: 'fan-out';
  of: FanOutOf;
  edgeType: string;
}

export interface ContinuationTouch extends TouchBase {
  kind: 'continuation';
  /** True if the fan-out ends without visiting a page. */
  isEnding: boolean;
  of: FanOutOf;
  edgeType: string;
  /** The continuation may only be moved from this revision; absent if the record has no image. */
  revision?: string | undefined;
}

export function itemTouch({ source, target }: ItemKey, base: ItemKey): ItemTouch {
  return { kind: 'item', source, sortKey: requireDerivedSortKey(target), base, records: [] };
}

export function viewTouch(source: string, targets: readonly string[]): ViewTouch {
  return { kind: 'view', source, sortKey: VIEW_KEY, targets, records: [] };
}

export function entryTouch(base: ItemKey): EntryTouch {
  return { kind: 'entry', source: base.source, sortKey: entryKeyOf(base.target), base, records: [] };
}

export function isReconcilable(touch: Touch): touch is Reconcilable {
  return touch.kind !== 'fan-out' && touch.kind !== 'continuation';
}

export function keyOfTouch({ source, sortKey }: Pick<TouchBase, 'source' | 'sortKey'>): ItemKey {
  return { source, target: sortKey };
}
