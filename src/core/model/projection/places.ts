import { parseDerivedKey } from '../../items/derived-key.ts';
import {
  CONTINUATION_PREFIX,
  countNameOf,
  degreeKey,
  fittingKey,
  hashedOrNamedIndexPrefix,
  inTargetPrefix,
  partViewKey,
  SOURCE_CONTINUATION_PREFIX,
  searchKey,
  searchValuePrefix,
  TOTAL_PREFIX,
} from '../../items/key-forms.ts';
import { type DerivedSortKey, type IndexPartitionKey, type ItemKey, isDerivedKey } from '../../items/keys.ts';
import type { SearchSettings } from '../options/option-tables.ts';
import {
  EdgeItemPlaces,
  formatIndexPartition,
  IndexPlaces,
  type ItemKeys,
  type PlacesOptions,
} from './index-places.ts';

export { quarantineKey as entryKeyOf } from '../../items/key-forms.ts';

/**
 * Places are the derived keys and index partitions of a projection's items. Only these classes make such keys, so no
 * other code has to know their forms.
 */

export class SearchPlaces extends IndexPlaces {
  /** The sort key of the search's item; with `multiValue`, the prefix of all its items. */
  readonly first: DerivedSortKey;
  readonly itemKeys: ItemKeys;
  private readonly base: string;

  constructor(
    private readonly search: SearchSettings,
    itemOf: string,
    options: PlacesOptions = {},
  ) {
    super(search, options);
    const { generation = 1 } = options;
    const { indexPartition, multiValue, part } = search;
    const type = indexPartition.slice(0, indexPartition.indexOf('.'));
    this.first = multiValue
      ? (searchValuePrefix(itemOf, generation, part) as DerivedSortKey)
      : searchKey(itemOf, generation, part);
    this.itemKeys = { sources: [`${type}-`], target: this.first, isPrefix: multiValue };
    // Contains the search's own name, because programs that read the index directly don't know whose item the search
    // shares.
    this.base = formatIndexPartition({ of: 'search', type, search: indexPartition.slice(type.length + 1), generation });
  }

  key(encoded: string): DerivedSortKey {
    return this.search.multiValue ? fittingKey(this.first, encoded) : this.first;
  }

  isKeyOfSearch(sortKey: string): boolean {
    return this.search.multiValue ? sortKey.startsWith(this.first) : sortKey === this.first;
  }

  /** @param within the value of the search's partition attribute. */
  partition(within: string | undefined, encoded: string, source: string): IndexPartitionKey {
    return this.partitionIn(this.partitionBase(within), encoded, source);
  }

  partitions(within: string | undefined): IndexPartitionKey[] {
    return this.partitionsIn(this.partitionBase(within));
  }

  partitionsOfValue(within: string | undefined, encoded: string): IndexPartitionKey[] {
    return this.partitionsOfValueIn(this.partitionBase(within), encoded);
  }

  private partitionBase(within: string | undefined): string {
    return within === undefined ? this.base : `${this.base}#${within}`;
  }
}

export class PartPlaces {
  readonly key: DerivedSortKey;

  constructor(name: string, generation = 1) {
    this.key = partViewKey(name, generation);
  }
}

export interface CounterPlaces {
  readonly edgeType: string;
  /** The name of the count in the items that it counts. */
  readonly name: string;
  readonly key: DerivedSortKey;
  readonly itemPrefixes: readonly string[];
  itemKey(edge: ItemKey): DerivedSortKey;
}

export class CountPlaces implements CounterPlaces {
  readonly name: string;
  readonly key: DerivedSortKey;
  readonly items: EdgeItemPlaces;
  /** Two prefixes, because a sort key that is too long is replaced by its hash. */
  readonly itemPrefixes: readonly string[];

  constructor(
    readonly edgeType: string,
    generation = 1,
  ) {
    this.name = countNameOf(edgeType, generation);
    this.key = degreeKey(this.name);
    this.items = new EdgeItemPlaces(edgeType, undefined, generation);
    this.itemPrefixes = [`${this.items.prefix}${edgeType}-`, hashedOrNamedIndexPrefix(generation)];
  }

  itemKey({ target }: { target: string }): DerivedSortKey {
    return this.items.key(target);
  }
}

/**
 * An edge's entry is in the target's partition, as the total is. One transaction changes both, and one consistent Query
 * reads all entries.
 */
export class TotalPlaces implements CounterPlaces {
  readonly name: string;
  readonly key: DerivedSortKey;
  readonly itemPrefixes: readonly string[];

  constructor(
    readonly edgeType: string,
    generation = 1,
  ) {
    this.key = (TOTAL_PREFIX + countNameOf(edgeType, generation)) as DerivedSortKey;
    this.name = this.key;
    this.itemPrefixes = [inTargetPrefix('total-entry', edgeType, generation)];
  }

  itemKey({ source }: { source: string }): DerivedSortKey {
    return fittingKey(this.itemPrefixes[0]!, source);
  }
}

/** Also works for a count or total that no model keeps. */
export function placesOfCount(countKey: string): CountPlaces | TotalPlaces {
  const key = parseDerivedKey(countKey);
  const Places = key?.kind === 'total' ? TotalPlaces : CountPlaces;
  return new Places(key?.edgeType ?? '', key?.generation);
}

export function totalOfEntry(entryKey: string): TotalPlaces {
  const key = parseDerivedKey(entryKey);
  return new TotalPlaces(key?.edgeType ?? '', key?.generation);
}

/** The count `FOLLOWS` has the key `~degree/FOLLOWS`; a total's name is its key. */
export function countKeyOf(name: string): DerivedSortKey {
  return isDerivedKey(name) ? name : degreeKey(name);
}

/** The items that a fan-out updates: copies in the children's views, or joined index items of the node's edges. */
export type FanOutOf = 'copies' | 'joined';

export function fanOutOfKey(sortKey: string): { of: FanOutOf; edgeType: string; generation: number } | undefined {
  const key = parseDerivedKey(sortKey);
  if (key?.kind !== 'continuation' && key?.kind !== 'source-continuation') return undefined;
  const { kind, edgeType, generation } = key;
  return { of: kind === 'continuation' ? 'copies' : 'joined', edgeType, generation };
}

export class FanOutPlaces {
  constructor(private readonly edgeType: string) {}

  get reversePrefix(): string {
    return inTargetPrefix('reverse-item', this.edgeType);
  }

  reverseKey(source: string): DerivedSortKey {
    return fittingKey(this.reversePrefix, source);
  }

  continuation(of: FanOutOf): DerivedSortKey {
    // rule: fan-outs-of-a-type-go-on-apart
    return ((of === 'copies' ? CONTINUATION_PREFIX : SOURCE_CONTINUATION_PREFIX) + this.edgeType) as DerivedSortKey;
  }

  visitedPrefix(of: FanOutOf): string {
    return of === 'copies' ? this.reversePrefix : `${this.edgeType}-`;
  }
}
