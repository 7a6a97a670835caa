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
 * The places of a projection: the sort keys of its derived items and the index partitions that they lie in. A generation of a
 * projection has places of its own, which are made once, with the model. Nothing else makes a derived key or an index partition, so
 * that nobody else has to know that there are generations, or shards.
 */

/** The places of a search's items. */
export class SearchPlaces {
  /** The sort key of the item, or where there is one for each value what their sort keys begin with. */
  readonly first: DerivedSortKey;
  /** The keys of all items of the search in the table: the nodes of its type, each with the key of the search. */
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
    // Its own name, also in an item that it shares: whoever reads the index without this library asks for the search by its name.
    this.base = formatIndexPartition({ of: 'search', type, search: indexPartition.slice(type.length + 1), generation });
    this.partitionsOf = new Partitions(search, generation, isStored);
  }

  /** False if only readers make the items: see `core/model/native.ts`. */
  get isStored(): boolean {
    return this.partitionsOf.isStored;
  }

  /** The sort key of the item for an encoded value. */
  key(encoded: string): DerivedSortKey {
    return this.search.multiValue ? fittingKey(this.first, encoded) : this.first;
  }

  /** Tells whether a sort key is that of an item of the search. */
  isKeyOfSearch(sortKey: string): boolean {
    return this.search.multiValue ? sortKey.startsWith(this.first) : sortKey === this.first;
  }

  /** The index partition of an item; `within` is the value of the search's partition attribute. */
  partition(within: string | undefined, encoded: string, source: string): IndexPartitionKey {
    return this.partitionsOf.partitionOf(this.partitionBase(within), encoded, source);
  }

  /** Every index partition; with `shards: 'value'` there is no list of them. */
  partitions(within: string | undefined): IndexPartitionKey[] {
    return this.partitionsOf.allPartitions(this.partitionBase(within));
  }

  /** The index partitions in which a search for one encoded value has to look: one, unless the shard is by source. */
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

/** The places of a count, or a total, and of the items that it counts. */
export interface CounterPlaces {
  readonly edgeType: string;
  /** The name that counted items hold. */
  readonly name: string;
  /** The sort key of the count. */
  readonly key: DerivedSortKey;
  /** The beginnings of the sort keys of all items that may be counted. */
  readonly itemPrefixes: readonly string[];
  /** The sort key of the item by which an edge is counted. */
  itemKey(edge: { source: string; target: string }): DerivedSortKey;
}

/** The places of the count of the edges that leave a node. */
export class CountPlaces implements CounterPlaces {
  readonly name: string;
  readonly key: DerivedSortKey;
  /** The index items that it counts: those that the first orders share. */
  readonly items: EdgeItemPlaces;
  /** An edge with a long sort key is named by a hash. */
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
 * The places of the total of the edges that enter a node. The entry of each edge is in the target's partition, as the total is: so
 * one transaction changes both, and one consistent Query finds all entries.
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

/** The places of the count, or the total, with this sort key, whether a model keeps it or not. */
export function placesOfCount(countKey: string): CountPlaces | TotalPlaces {
  const key = parseDerivedKey(countKey);
  const Places = key?.kind === 'total' ? TotalPlaces : CountPlaces;
  return new Places(key?.edgeType ?? '', key?.generation);
}

/** The places of the total that an entry belongs to, by the entry's sort key. */
export function totalOfEntry(entryKey: string): TotalPlaces {
  const key = parseDerivedKey(entryKey);
  return new TotalPlaces(key?.edgeType ?? '', key?.generation);
}

/**
 * The sort key of a count, or a total, by the name that counted items hold. A total's name is its sort key already. A count's name
 * comes from `countNameOf`: `FOLLOWS` names `~degree/FOLLOWS`.
 */
export function countKeyOf(name: string): DerivedSortKey {
  return isDerivedKey(name) ? name : degreeKey(name);
}

/** The sort key of the quarantine entry of an item: of a base item that cannot be derived in full, or of a derived one that the table refuses. */
export function entryKeyOf(target: string): DerivedSortKey {
  return quarantineKey(target);
}

/** The aim of a fan-out along an edge type: copies in the views of children, or joined index items of the node's edges. */
export type FanOutOf = 'copies' | 'joined';

/** The fan-out that a continuation drives, by the continuation's sort key; undefined: the key is of another item. */
export function fanOutOfKey(sortKey: string): { of: FanOutOf; edgeType: string; generation: number } | undefined {
  const key = parseDerivedKey(sortKey);
  if (key?.kind !== 'continuation' && key?.kind !== 'source-continuation') return undefined;
  const { kind, edgeType, generation } = key;
  return { of: kind === 'continuation' ? 'copies' : 'joined', edgeType, generation };
}

/** The places of the fan-outs along an edge type. They have no generations. */
export class FanOutPlaces {
  constructor(private readonly edgeType: string) {}

  /** The beginning of the sort keys of the reverse items: `~rev/WROTE-`. */
  get reversePrefix(): string {
    return inTargetPrefix('reverse-item', this.edgeType);
  }

  /** The sort key of the reverse item of the edge from a node, in the target's partition. */
  reverseKey(source: string): DerivedSortKey {
    return reverseKey(this.edgeType, source);
  }

  /** The sort key of the continuation. A fan-out of copies and one of joined items may be under way along the same edge type. */
  continuation(of: FanOutOf): DerivedSortKey {
    // rule: fan-outs-of-a-type-go-on-apart
    return of === 'copies' ? continuationKey(this.edgeType) : sourceContinuationKey(this.edgeType);
  }

  /** The beginning of the sort keys of the items that a fan-out visits. */
  visitedPrefix(of: FanOutOf): string {
    return of === 'copies' ? this.reversePrefix : `${this.edgeType}-`;
  }
}
