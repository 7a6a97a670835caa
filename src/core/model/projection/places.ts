import { parseDerivedKey } from '../../items/derived-key.ts';
import {
  continuationKey,
  countNameOf,
  degreeKey,
  edgeIndexPrefix,
  fittingKey,
  hashedOrNamedIndexPrefix,
  inTargetPrefix,
  partViewKey,
  quarantineKey,
  reverseKey,
  searchKey,
  searchValuePrefix,
  sourceContinuationKey,
  targetItemKey,
  totalKey,
} from '../../items/key-forms.ts';
import { type DerivedSortKey, type IndexPartitionKey, isDerivedKey } from '../../items/keys.ts';
import type { InboundSettings, OrderSettings, SearchSettings } from '../options/option-tables.ts';
import { DUE_ORDER } from './due-order.ts';
import { escapeForPartition, formatIndexPartition } from './index-partition.ts';
import { Partitions } from './partitions.ts';

/**
 * The places of a projection: the sort keys of its derived items and the index partitions that they lie in. A generation of a
 * projection has places of its own, which are made once, with the model. Nothing else makes a derived key or an index partition, so
 * that nobody else has to know that there are generations, or shards.
 */

/**
 * The keys in the table of the items that a question asks an index for. An index partition holds no others but the node among its
 * edges, unless something is lost that no writer knows of any more: its own key tells that it is not of the projection.
 */
export interface ItemKeys {
  /** Partition keys begin with one of these. */
  sources: readonly string[];
  /** The sort key, or what it begins with. */
  target: string;
  isPrefix: boolean;
}

/** Tells whether a question asks for the item with this key in the table. */
export function isHitOf({ sources, target, isPrefix }: ItemKeys, source: string, sortKey: string): boolean {
  const isTarget = isPrefix ? sortKey.startsWith(target) : sortKey === target;
  return isTarget && sources.some((prefix) => source.startsWith(prefix));
}

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
    generation = 1,
  ) {
    const { indexPartition, name, multiValue, part } = search;
    const type = indexPartition.slice(0, indexPartition.indexOf('.'));
    this.first = multiValue
      ? (searchValuePrefix(name, generation, part) as DerivedSortKey)
      : searchKey(name, generation, part);
    this.itemKeys = { sources: [`${type}-`], target: this.first, isPrefix: multiValue };
    this.base = formatIndexPartition({ of: 'search', type, search: name, generation });
    this.partitionsOf = new Partitions(search, generation);
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

/** The places of the items that edges of a type have in one order, or in those that share an item. */
export class EdgeItemPlaces {
  /** The text before an edge's sort key. */
  readonly prefix: string;
  /** The sort key of the target node's own item among its edges. */
  readonly targetItemKey: DerivedSortKey;

  constructor(edgeType: string, orderName: string | undefined, generation = 1) {
    this.prefix = edgeIndexPrefix(orderName, generation);
    this.targetItemKey = targetItemKey(edgeType, orderName, generation);
  }

  /** The sort key of an edge's item; one that leaves no room is named by a hash. */
  key(edgeSortKey: string): DerivedSortKey {
    return fittingKey(this.prefix, edgeSortKey);
  }
}

/** The places of an order's items in its index. */
export class OrderPlaces {
  private readonly items: EdgeItemPlaces;
  private readonly base: string;
  private readonly partitionsOf: Partitions;
  /** True for the due-list of an edge type, whose partitions hold the edges of all targets. */
  readonly isDue: boolean;

  constructor(
    private readonly edgeType: string,
    { name, isNamed }: OrderSettings,
    spread: Pick<InboundSettings, 'shards' | 'shardBy' | 'hash'>,
    generation = 1,
  ) {
    const named = isNamed ? { order: name } : {};
    this.isDue = name === DUE_ORDER;
    this.items = new EdgeItemPlaces(edgeType, named.order, generation);
    this.base = formatIndexPartition({ of: 'edge', edgeType, ...named, generation });
    this.partitionsOf = new Partitions(spread, generation);
  }

  /** The sort key of the target node's own item in the order. */
  get targetItemKey(): DerivedSortKey {
    return this.items.targetItemKey;
  }

  /** The keys in the table of the index items of edges with one sort key, which leave nodes of these types. */
  itemKeys(from: Iterable<string>, edgeSortKey: string): ItemKeys {
    return { sources: [...from].map((type) => `${type}-`), target: this.items.key(edgeSortKey), isPrefix: false };
  }

  /** The index partition of an edge's item; `within` is the value that the model puts into it besides the target. */
  partition(edgeSortKey: string, encoded: string, source: string, within?: string): IndexPartitionKey {
    return this.partitionsOf.partitionOf(this.partitionBase(edgeSortKey, within), encoded, source);
  }

  /** Every index partition that holds a target's incoming edges. */
  partitions(edgeSortKey: string, within?: string): IndexPartitionKey[] {
    return this.partitionsOf.allPartitions(this.partitionBase(edgeSortKey, within));
  }

  /** The index partitions of a target's incoming edges with one encoded value. */
  partitionsOfValue(edgeSortKey: string, encoded: string, within?: string): IndexPartitionKey[] {
    return this.partitionsOf.partitionsOfValue(this.partitionBase(edgeSortKey, within), encoded);
  }

  /** Tells whether an index takes a partition key. */
  fits(partition: IndexPartitionKey): boolean {
    return this.partitionsOf.fits(partition);
  }

  private partitionBase(edgeSortKey: string, within: string | undefined): string {
    // A due-list is of all edges of a type, wherever they lead.
    if (this.isDue) return `${this.base}-`;
    // The orders that share an item have the edge's own sort key in their first generation: no new text for each of them.
    const base = this.base === this.edgeType ? edgeSortKey : this.base + edgeSortKey.slice(this.edgeType.length);
    // The escaped value contains no `#`, so it follows the last `#`, whatever the target's id holds.
    return within === undefined ? base : `${base}#${escapeForPartition(within)}`;
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

/** The sort key of the quarantine entry of a record: `target` is the item that it cannot be written to, `position` the record's watermark. */
export function entryKeyOf(target: string, position: string): DerivedSortKey {
  return quarantineKey(target, position);
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
