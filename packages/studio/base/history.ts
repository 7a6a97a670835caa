import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { SeenChange } from './seen-changes.ts';

/** The items of a partition at one moment, by sort key. */
export type PartitionItems = ReadonlyMap<string, Item>;

/** The items of a partition after each of its changes. `present`: the items of now; `changes`: all of them up to now, oldest first. */
export function itemsAfterEach(
  present: PartitionItems,
  changes: readonly Pick<SeenChange, 'target' | 'oldImage' | 'newImage'>[],
): PartitionItems[] {
  const items = new Map(present);
  const set = (target: string, image: Item | undefined): void => {
    if (image === undefined) items.delete(target);
    else items.set(target, image);
  };
  // Backwards: an item without a change has been as it is now, and the old image of its first change tells of every other.
  for (const { target, oldImage } of [...changes].reverse()) set(target, oldImage);
  return changes.map(({ target, newImage }) => {
    set(target, newImage);
    return new Map(items);
  });
}

/** The items just before a change. `after`: the items just after it. */
export function itemsBefore(
  after: PartitionItems,
  { target, oldImage }: Pick<SeenChange, 'target' | 'oldImage'>,
): PartitionItems {
  const items = new Map(after);
  if (oldImage === undefined) items.delete(target);
  else items.set(target, oldImage);
  return items;
}

/** An item as it was from one moment to another. */
export interface ItemVersion {
  target: string;
  image: Item;
  first: number;
  last: number;
}

/** The versions of all items over the moments: one that does not change is there once. */
export function versionsOf(moments: readonly PartitionItems[]): ItemVersion[] {
  const versions: ItemVersion[] = [];
  const newest = new Map<string, ItemVersion>();
  for (const [i, items] of moments.entries()) {
    for (const [target, image] of items) {
      const known = newest.get(target);
      if (known?.last === i - 1 && known.image === image) known.last = i;
      else {
        const version: ItemVersion = { target, image, first: i, last: i };
        newest.set(target, version);
        versions.push(version);
      }
    }
  }
  return versions;
}

/**
 * How derived items were. `equal`: as their base items asked. `lag`: not yet. `drift`: no change that was on its way would have made them equal.
 */
export type TruthState = 'equal' | 'lag' | 'drift';

/** Moments with one state, one after the other, and their time in milliseconds since 1970. */
export interface Stretch {
  state: TruthState;
  first: number;
  last: number;
  fromMs: number;
  /** Null: it lasts until now. */
  untilMs: number | null;
}

/** The moment after a change. */
export interface JudgedMoment {
  atMs: number;
  /** True if a base item was changed. False: a derived one. */
  isBase: boolean;
  /** True if the derived items were as the base items asked. */
  isEqual: boolean;
}

/** A stream tells whole seconds, and a transaction has a record for each of its items: a difference that lasts longer was not half of one. */
const TRANSACTION_MS = 1_000;

/**
 * The stretches of moments, oldest first. A difference that ends is lag, unless a write of a derived item began it: no base item had asked
 * for that. One that lasts until now is lag as long as a record may be on its way.
 *
 * @param known `isApplied`: true if every record up to now is applied; `wasEqual`: true if nothing differed before the first moment.
 */
export function stretchesOf(
  moments: readonly JudgedMoment[],
  { isApplied, wasEqual }: { isApplied: boolean; wasEqual: boolean },
): Stretch[] {
  const stretches: Stretch[] = [];
  for (let first = 0; first < moments.length; first = stretches.at(-1)!.last + 1) {
    const { isEqual, isBase, atMs: fromMs } = moments[first]!;
    const next = moments.findIndex((moment, i) => i > first && moment.isEqual !== isEqual);
    const untilMs = moments[next]?.atMs ?? null;
    // Without what was there before the first moment, anything may have begun it.
    const isUnasked = !isBase && (first > 0 || wasEqual);
    const isDrift = untilMs === null ? isApplied : isUnasked && untilMs - fromMs > TRANSACTION_MS;
    const state = isEqual ? 'equal' : isDrift ? 'drift' : 'lag';
    stretches.push({ state, first, last: (next < 0 ? moments.length : next) - 1, fromMs, untilMs });
  }
  return stretches;
}

/**
 * The moment that an address names: the one after a record, or else the last one up to a time. -1: it is before the first one, where nothing
 * is known. Undefined: none is named, so it is now.
 */
export function momentAt(
  moments: readonly { atMs: number; rev: string }[],
  { at, rev }: { at: number | undefined; rev: string | undefined },
): number | undefined {
  const named = moments.findIndex((moment) => moment.rev === rev);
  if (named >= 0) return named;
  return at === undefined ? undefined : moments.findLastIndex(({ atMs }) => atMs <= at);
}
