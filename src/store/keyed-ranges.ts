import { compareKeys } from '../core/items/encoding.ts';
import { DERIVED_PREFIX } from '../core/items/keys.ts';
import type { PlacedEntry } from '../core/model/keys/raw-keys.ts';
import type { QueryRequest } from '../core/store-port.ts';

/** Ranges of base items' sort keys in Edgeloom's form, and what they are in raw keys. */

/** A character that no key holds, behind all others. */
export const LAST = '\u{10ffff}';

/** A range of sort keys in Edgeloom's form, inclusive at both ends. */
export interface RawRange {
  from: string;
  to: string;
}

/** The range that a query asks for; undefined: the query has no condition for the sort key, or asks for derived items. */
export function rangeOfBaseItems(sortKey: QueryRequest['sortKey']): RawRange | undefined {
  if (sortKey === undefined) return undefined;
  const { from, to = LAST } =
    'beginsWith' in sortKey ? { from: sortKey.beginsWith, to: `${sortKey.beginsWith}${LAST}` } : sortKey;
  return from === undefined || from >= DERIVED_PREFIX ? undefined : { from, to };
}

/** Whether a key is in a range. */
export function isWithin(key: string, { from, to }: RawRange): boolean {
  return compareKeys(from, key) <= 0 && compareKeys(key, to) <= 0;
}

/** The part of a range that holds one kind of base items. */
export interface EntryRange {
  /** The beginning of the keys in both forms. */
  known: string;
  raw: string;
  /** The raw sort keys to ask for. */
  sortKey: NonNullable<QueryRequest['sortKey']>;
  /** Whether nothing of it remains behind a key. */
  isPast: (after: string) => boolean;
  /** Whether it is the item of the node, which by an attribute is an edge. */
  isNode: boolean;
  /** Whether the items are in another order than their keys in Edgeloom's form. */
  isFolded: boolean;
}

/** The parts of a range, in order. */
export function entriesInRange(entries: readonly PlacedEntry[], range: RawRange, isReverse: boolean): EntryRange[] {
  const found = entries.flatMap((entry): EntryRange[] => {
    const sortKey = rawRange(entry, range);
    const { known, raw, isPrefix, isNode, isFolded } = entry;
    const isPast = (after: string): boolean => {
      if (isPrefix && after.startsWith(known)) return false;
      const order = compareKeys(known, after);
      return isReverse ? order >= 0 : order <= 0;
    };
    return sortKey === undefined ? [] : [{ known, raw, sortKey, isPast, isNode, isFolded }];
  });
  return isReverse ? found.reverse() : found;
}

function rawRange(
  { known, raw, isPrefix, isNode, isFolded }: PlacedEntry,
  range: RawRange,
): EntryRange['sortKey'] | undefined {
  if (!isPrefix) return isWithin(known, range) ? { from: raw, to: raw } : undefined;
  const last = known + LAST;
  if (compareKeys(range.to, known) < 0 || compareKeys(last, range.from) < 0) return undefined;
  if (isNode) return { from: raw, to: raw };
  if (isFolded) return { beginsWith: raw };
  const from = compareKeys(range.from, known) <= 0 ? known : range.from;
  const to = compareKeys(last, range.to) <= 0 ? last : range.to;
  if (from === known && to === last) return { beginsWith: raw };
  return { from: raw + from.slice(known.length), to: raw + to.slice(known.length) };
}
