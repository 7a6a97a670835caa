import type { ChangeRecord } from '../items/change-record.ts';
import { type DerivedSortKey, requireDerivedSortKey, VIEW_KEY } from '../items/keys.ts';
import { entryKeyOf, type FanOutOf } from '../model/projection/places.ts';
import type { ItemKey } from '../store-port.ts';

/** Says which item may differ from what the base items ask for, never what it holds. */
export type Touch = ItemTouch | ViewTouch | EntryTouch | FanOutTouch | ContinuationTouch;

/** Made of base items, and not in pages. */
export type Reconcilable = ItemTouch | ViewTouch | EntryTouch;

export interface TouchBase {
  source: string;
  sortKey: DerivedSortKey;
  /** None for a scan. A failure is reported with the lowest. */
  records: readonly ChangeRecord[];
}

export interface ItemTouch extends TouchBase {
  kind: 'item';
  /** A joined item also depends on the source node. */
  base: ItemKey;
}

/** As far as some base items decide. */
export interface ViewTouch extends TouchBase {
  kind: 'view';
  /** The node itself, and edges. */
  targets: readonly string[];
  /** By a redrive: all base items of the partition decide, and all that the view shows. */
  isWhole?: true;
  /** By a repair: evicted edge types that fit into the view again. */
  returning?: readonly string[];
}

/** Exists exactly while the base item can't be derived in full. */
export interface EntryTouch extends TouchBase {
  kind: 'entry';
  base: ItemKey;
  /** The record shows no fault: if the entry is right, it needn't be written. */
  isLook?: true;
}

/** `sortKey` is the continuation's. */
export interface FanOutTouch extends TouchBase {
  kind: 'fan-out';
  of: FanOutOf;
  edgeType: string;
}

export interface ContinuationTouch extends TouchBase {
  kind: 'continuation';
  /** It ends without visiting a page. */
  isEnding: boolean;
  of: FanOutOf;
  edgeType: string;
  /** It may only be moved from this revision. Absent if the record has no image. */
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
