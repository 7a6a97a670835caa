import type { ChangeRecord } from '../items/change-record.ts';
import { type DerivedSortKey, requireDerivedSortKey, VIEW_KEY } from '../items/keys.ts';
import { entryKeyOf, type FanOutOf } from '../model/projection/places.ts';
import type { ItemKey } from '../store-port.ts';

/**
 * A touched derived item may differ from what the base items ask for now. A touch says which item, never what it holds.
 */
export type Touch = ItemTouch | ViewTouch | EntryTouch | FanOutTouch | ContinuationTouch;

/** A touch of a derived item that is made of base items, and not in pages. */
export type Reconcilable = ItemTouch | ViewTouch | EntryTouch;

interface TouchBase {
  source: string;
  sortKey: DerivedSortKey;
  /** The records that touch the item; none for a scan. A failure is reported with the lowest of them. */
  records: readonly ChangeRecord[];
}

/** An index item, a part's view, or an edge's item in its target's partition. */
export interface ItemTouch extends TouchBase {
  kind: 'item';
  /** The base item that asks for it; a joined item also depends on the source node. */
  base: ItemKey;
}

/** A view, as far as some base items decide about it. */
export interface ViewTouch extends TouchBase {
  kind: 'view';
  /** Sort keys of these base items: the node itself, and edges. */
  targets: readonly string[];
}

/** A base item's quarantine entry, which exists exactly while the base item can't be derived in full. */
export interface EntryTouch extends TouchBase {
  kind: 'entry';
  base: ItemKey;
  /** True if the entry needn't be written if it is right: its record shows no fault, before or after. */
  isLook?: true;
}

/** A fan-out from a node to the items that show it, along one edge type. `sortKey` is its continuation's. */
export interface FanOutTouch extends TouchBase {
  kind: 'fan-out';
  of: FanOutOf;
  edgeType: string;
}

/** The next page of a fan-out, driven by its continuation's record. */
export interface ContinuationTouch extends TouchBase {
  kind: 'continuation';
  /** True if nothing needs the fan-out any more: it ends without visiting a page. */
  isEnding: boolean;
  of: FanOutOf;
  edgeType: string;
  /**
   * The continuation's revision in the record: it may only be moved from this revision. Absent if the record has no
   * image.
   */
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

export function keyOfTouch({ source, sortKey }: Touch): ItemKey {
  return { source, target: sortKey };
}
