import { parseDerivedKey } from '../../items/derived-key.ts';
import {
  continuationKey,
  countNameOf,
  degreeKey,
  fittingKey,
  hashedOrNamedIndexPrefix,
  inTargetPrefix,
  partViewKey,
  quarantineKey,
  reverseKey,
  searchKey,
  searchValuePrefix,
  sourceContinuationKey,
  totalKey,
} from '../../items/key-forms.ts';
import { type DerivedSortKey, type IndexPartitionKey, isDerivedKey } from '../../items/keys.ts';
import type { SearchSettings } from '../options/option-tables.ts';
import { EdgeItemPlaces, formatIndexPartition, type ItemKeys, Partitions } from './index-places.ts';

/**
 * A projection's places: the sort keys of its derived items and the index partitions that they lie in. Each generation
 * has its own, made once with the model. Nothing else makes derived keys or index partitions, so no other code knows
 * about generations or shards.
 */

/** The places of a search's items. */
export class SearchPlaces {
  /** The item's sort key; with an item per value, their prefix. */
  readonly first: DerivedSortKey;
  /** The table keys of all its items: nodes of its type, each with the search's key. */
  readonly itemKeys: ItemKeys;
  private readonly base: string;
  private readonly partitionsOf: Partitions;

  constructor(
    private readonly search: SearchSettings,
    itemOf: string,
    generation = 1,
    isStored = true,
  ) {
    const { indexPartition, multiValue, part } = search;
    const type = indexPartition.slice(0, indexPartition.indexOf('.'));
    this.first = multiValue
      ? (searchValuePrefix(itemOf, generation, part) as DerivedSortKey)
      : searchKey(itemOf, generation, part);
    this.itemKeys = { sources: [`${type}-`], target: this.first, isPrefix: multiValue };
    // Its own name, even in a shared item: programs that read the index without this library use the search's name.
    this.base = formatIndexPartition({ of: 'search', type, search: indexPartition.slice(type.length + 1), generation });
    this.partitionsOf = new Partitions(search, generation, isStored);
  }

  /** False if only readers make the items: see `core/model/native-indexes.ts`. */
  get isStored(): boolean {
    return this.partitionsOf.isStored;
  }

  /** The sort key of the item for an encoded value. */
  key(encoded: string): DerivedSortKey {
    return this.search.multiValue ? fittingKey(this.first, encoded) : this.first;
  }

  /** Whether a sort key belongs to an item of the search. */
  isKeyOfSearch(sortKey: string): boolean {
    return this.search.multiValue ? sortKey.startsWith(this.first) : sortKey === this.first;
  }

  /** `within`: the value of the search's partition attribute. */
  partition(within: string | undefined, encoded: string, source: string): IndexPartitionKey {
    return this.partitionsOf.partitionOf(this.partitionBase(within), encoded, source);
  }

  /** `shards: 'value'` has no list. */
  partitions(within: string | undefined): IndexPartitionKey[] {
    return this.partitionsOf.allPartitions(this.partitionBase(within));
  }

  /** One, unless the shard is by source. */
  partitionsOfValue(within: string | undefined, encoded: string): IndexPartitionKey[] {
    return this.partitionsOf.partitionsOfValue(this.partitionBase(within), encoded);
  }

  /** Tells whether an index takes a partition key. */
  fits(partition: IndexPartitionKey): boolean {
    return this.partitionsOf.fits(partition);
  }

  private partitionBase(within: string | undefined): string {
    return within === undefined ? this.base : `${this.base}#${within}`;
  }
}

/** The place of the views of a part. */
export class PartPlaces {
  readonly key: DerivedSortKey;

  constructor(name: string, generation = 1) {
    this.key = partViewKey(name, generation);
  }
}

/** The places of a count or total, and of the items it counts. */
export interface CounterPlaces {
  readonly edgeType: string;
  /** The name in counted items. */
  readonly name: string;
  /** The sort key of the count. */
  readonly key: DerivedSortKey;
  /** Prefixes of all items that may be counted. */
  readonly itemPrefixes: readonly string[];
  /** The sort key of the item by which an edge is counted. */
  itemKey(edge: { source: string; target: string }): DerivedSortKey;
}

/** The places of a count of outgoing edges. */
export class CountPlaces implements CounterPlaces {
  readonly name: string;
  readonly key: DerivedSortKey;
  /** The index items that it counts: those shared by the first orders. */
  readonly items: EdgeItemPlaces;
  /** An edge's long sort key is replaced by its hash. */
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
 * The places of a total of incoming edges. Each edge's entry is in the target's partition, like the total: one
 * transaction changes both, and one consistent Query finds all entries.
 */
export class TotalPlaces implements CounterPlaces {
  readonly name: string;
  readonly key: DerivedSortKey;
  readonly itemPrefixes: readonly string[];

  constructor(
    readonly edgeType: string,
    generation = 1,
  ) {
    this.key = totalKey(edgeType, generation);
    this.name = this.key;
    this.itemPrefixes = [inTargetPrefix('total-entry', edgeType, generation)];
  }

  itemKey({ source }: { source: string }): DerivedSortKey {
    return fittingKey(this.itemPrefixes[0]!, source);
  }
}

/** Whether a model keeps the count or total, or not. */
export function placesOfCount(countKey: string): CountPlaces | TotalPlaces {
  const key = parseDerivedKey(countKey);
  const Places = key?.kind === 'total' ? TotalPlaces : CountPlaces;
  return new Places(key?.edgeType ?? '', key?.generation);
}

export function totalOfEntry(entryKey: string): TotalPlaces {
  const key = parseDerivedKey(entryKey);
  return new TotalPlaces(key?.edgeType ?? '', key?.generation);
}

/** A total's name is its sort key. A count's name comes from `countNameOf`: `FOLLOWS` names `~degree/FOLLOWS`. */
export function countKeyOf(name: string): DerivedSortKey {
  return isDerivedKey(name) ? name : degreeKey(name);
}

/** For a base item that can't be derived in full, or a derived item that the table refuses. */
export function entryKeyOf(target: string): DerivedSortKey {
  return quarantineKey(target);
}

/**
 * What a fan-out along an edge type updates: copies in the children's views, or joined index items of the node's edges.
 */
export type FanOutOf = 'copies' | 'joined';

export function fanOutOfKey(sortKey: string): { of: FanOutOf; edgeType: string; generation: number } | undefined {
  const key = parseDerivedKey(sortKey);
  if (key?.kind !== 'continuation' && key?.kind !== 'source-continuation') return undefined;
  const { kind, edgeType, generation } = key;
  return { of: kind === 'continuation' ? 'copies' : 'joined', edgeType, generation };
}

export class FanOutPlaces {
  constructor(private readonly edgeType: string) {}

  /** `~rev/WROTE-`. */
  get reversePrefix(): string {
    return inTargetPrefix('reverse-item', this.edgeType);
  }

  reverseKey(source: string): DerivedSortKey {
    return reverseKey(this.edgeType, source);
  }

  /** Fan-outs of copies and of joined items may run along the same edge type. */
  continuation(of: FanOutOf): DerivedSortKey {
    // rule: fan-outs-of-a-type-go-on-apart
    return of === 'copies' ? continuationKey(this.edgeType) : sourceContinuationKey(this.edgeType);
  }

  visitedPrefix(of: FanOutOf): string {
    return of === 'copies' ? this.reversePrefix : `${this.edgeType}-`;
  }
}
