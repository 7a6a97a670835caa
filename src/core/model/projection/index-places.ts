import { generationMark } from '../../items/generation.ts';
import { edgeIndexPrefix, fittingKey, targetItemKey } from '../../items/key-forms.ts';
import {
  type DerivedSortKey,
  hash128,
  type IndexPartitionKey,
  isWithinBytes,
  SORT_KEY_BYTES,
} from '../../items/keys.ts';
import { shardOf } from '../../items/shard.ts';
import type { InboundSettings, OrderSettings, SearchSettings } from '../options/option-tables.ts';
import { DUE_ORDER } from './due-order.ts';

/**
 * Index partitions, their shards, and the places of edges' items in them.
 *
 * The codec parses an index partition up to its projection: `USER.name`, `GOALMEMBERSHIP-USER-U1`,
 * `byPriority/GOALMEMBERSHIP-USER-U1` for a named order, `USER.name@2` for a later generation. `parseIndexPartition`
 * and `formatIndexPartition` are inverse. A projection's places add the target, the partition value and the shard:
 * `STORE.location#US#3`.
 */

/** The projection that an index partition belongs to; `order` for a named order. */
export type IndexPlace =
  | { of: 'search'; type: string; search: string; generation: number }
  | { of: 'edge'; edgeType: string; order?: string; generation: number };

const ESCAPED: Readonly<Record<string, string>> = { '%': '%25', '#': '%23', '@': '%40' };

/**
 * The prefix of a projection's index partitions. For an edge type, the rest of the edge's sort key follows, from the
 * dash on. Order names begin with a lower-case letter, type names with an upper-case one.
 */
export function formatIndexPartition(place: IndexPlace): string {
  const mark = generationMark(place.generation);
  // A search named `name#1` must not share a partition with the first shard of `name`, nor `name@2` with a generation.
  if (place.of === 'search') return escapeForPartition(`${place.type}.${place.search}`) + mark;
  const { edgeType, order } = place;
  return order === undefined ? edgeType + mark : `${order}${mark}/${edgeType}`;
}

/** Type and dash or dot, preceded by the order's name, if any. */
const OF_SEARCH = /^([A-Z][A-Z0-9_]*)\.([^@#]*)(?:@([1-9]\d{0,8}))?(?:#|$)/s;
const OF_EDGES = /^([A-Z][A-Z0-9_]*)(?:@([1-9]\d{0,8}))?-/;
const OF_NAMED_ORDER = /^([a-z][A-Za-z0-9_]*)(?:@([1-9]\d{0,8}))?\/([A-Z][A-Z0-9_]*)-/;

/** Undefined if no projection has such a key. */
export function parseIndexPartition(partition: string): IndexPlace | undefined {
  const ofSearch = OF_SEARCH.exec(partition);
  if (ofSearch !== null) {
    const [, type = '', search = '', generation] = ofSearch;
    return { of: 'search', type, search: unescapeFromPartition(search), generation: Number(generation ?? 1) };
  }
  const ofEdges = OF_EDGES.exec(partition);
  if (ofEdges !== null) return { of: 'edge', edgeType: ofEdges[1]!, generation: Number(ofEdges[2] ?? 1) };
  const named = OF_NAMED_ORDER.exec(partition);
  if (named === null) return undefined;
  return { of: 'edge', edgeType: named[3]!, order: named[1]!, generation: Number(named[2] ?? 1) };
}

/** Escapes the characters that separate parts of an index partition. */
export function escapeForPartition(text: string): string {
  return text.replace(/[%#@]/g, (character) => ESCAPED[character]!);
}

export function unescapeFromPartition(text: string): string {
  return text.replace(/%(?:25|23|40)/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** Longer values are hashed in `shards: 'value'` keys. */
const VALUE_IN_KEY_BYTES = 512;

type Spread =
  | Pick<InboundSettings, 'shards' | 'shardBy' | 'hash'>
  | Pick<SearchSettings, 'shards' | 'shardBy' | 'hash'>;

function withShard(base: string, shard: number): IndexPartitionKey {
  return `${base}#${shard}` as IndexPartitionKey;
}

export function isHashedInKey(encoded: string): boolean {
  return !isWithinBytes(encoded, VALUE_IN_KEY_BYTES);
}

/** `=value`, or `~hash` for a long value. The first character keeps a value from being read as a hash. */
function valueInKey(encoded: string): string {
  return isHashedInKey(encoded) ? `~${hash128(encoded)}` : `=${encoded}`;
}

export class Partitions {
  private readonly limitBytes: number;

  /** @param isStored false for items that only readers make, whose keys no index has to accept. */
  constructor(
    private readonly spread: Spread,
    generation: number,
    readonly isStored = true,
  ) {
    const { shards } = spread;
    const ofShard = shards === 'value' || shards === 1 ? '' : `#${shards}`;
    this.limitBytes = SORT_KEY_BYTES + generationMark(generation).length + ofShard.length;
  }

  /**
   * Whether an index accepts a partition key. The marks of generation and shards don't count, so that a key that fits
   * in one generation fits in all; DynamoDB has room for them, with keys of up to 2,048 bytes.
   */
  fits(partition: IndexPartitionKey): boolean {
    return !this.isStored || isWithinBytes(partition, this.limitBytes);
  }

  partitionOf(base: string, encoded: string, source: string): IndexPartitionKey {
    const { shards, shardBy, hash } = this.spread;
    if (shards === 1) return base as IndexPartitionKey;
    if (shards === 'value') return `${base}#${valueInKey(encoded)}` as IndexPartitionKey;
    return withShard(base, shardOf(shardBy === 'source' ? source : encoded, shards, hash));
  }

  /** `shards: 'value'` has no list. Leaves out keys too long for an index, which have no items. */
  allPartitions(base: string): IndexPartitionKey[] {
    const { shards } = this.spread;
    if (shards === 'value') return [];
    const partitions =
      shards === 1 ? [base as IndexPartitionKey] : Array.from({ length: shards }, (_, i) => withShard(base, i + 1));
    return partitions.filter((partition) => this.fits(partition));
  }

  /** One, unless the shard is by source. */
  partitionsOfValue(base: string, encoded: string): IndexPartitionKey[] {
    const { shards, shardBy } = this.spread;
    if (shards !== 'value' && shards !== 1 && shardBy === 'source') return this.allPartitions(base);
    return [this.partitionOf(base, encoded, '')].filter((partition) => this.fits(partition));
  }
}

/**
 * The table keys of the items that a query asks an index for. An index partition only holds other items (besides the
 * node among its edges) if something was lost: their own keys then tell that they don't belong to the projection.
 */
export interface ItemKeys {
  /** Partition keys begin with one of these. */
  sources: readonly string[];
  /** The sort key or its prefix. */
  target: string;
  isPrefix: boolean;
}

export function isHitOf({ sources, target, isPrefix }: ItemKeys, source: string, sortKey: string): boolean {
  const isTarget = isPrefix ? sortKey.startsWith(target) : sortKey === target;
  return isTarget && sources.some((prefix) => source.startsWith(prefix));
}

/** The places of edges' items in one order, or in those that share an item. */
export class EdgeItemPlaces {
  /** The text before an edge's sort key. */
  readonly prefix: string;
  /** The sort key of the target node's own item among its edges. */
  readonly targetItemKey: DerivedSortKey;

  constructor(edgeType: string, orderName: string | undefined, generation = 1) {
    this.prefix = edgeIndexPrefix(orderName, generation);
    this.targetItemKey = targetItemKey(edgeType, orderName, generation);
  }

  /** A long sort key is replaced by its hash. */
  key(edgeSortKey: string): DerivedSortKey {
    return fittingKey(this.prefix, edgeSortKey);
  }
}

/** The places of an order's items in its index. */
export class OrderPlaces {
  private readonly items: EdgeItemPlaces;
  private readonly base: string;
  private readonly partitionsOf: Partitions;
  /** True for an edge type's due-list, whose partitions hold the edges of all targets. */
  readonly isDue: boolean;

  constructor(
    private readonly edgeType: string,
    { name, isNamed }: OrderSettings,
    spread: Pick<InboundSettings, 'shards' | 'shardBy' | 'hash'>,
    generation = 1,
    isStored = true,
  ) {
    const named = isNamed ? { order: name } : {};
    this.isDue = name === DUE_ORDER;
    this.items = new EdgeItemPlaces(edgeType, named.order, generation);
    this.base = formatIndexPartition({ of: 'edge', edgeType, ...named, generation });
    this.partitionsOf = new Partitions(spread, generation, isStored);
  }

  /** False if only readers make the items: see `core/model/native-indexes.ts`. */
  get isStored(): boolean {
    return this.partitionsOf.isStored;
  }

  /** The sort key of the target node's own item in the order. */
  get targetItemKey(): DerivedSortKey {
    return this.items.targetItemKey;
  }

  /** The table keys of index items of edges with one sort key, from nodes of these types. */
  itemKeys(from: Iterable<string>, edgeSortKey: string): ItemKeys {
    return { sources: [...from].map((type) => `${type}-`), target: this.items.key(edgeSortKey), isPrefix: false };
  }

  /** `within`: the partition attribute's value, if the model has one. */
  partition(edgeSortKey: string, encoded: string, source: string, within?: string): IndexPartitionKey {
    return this.partitionsOf.partitionOf(this.partitionBase(edgeSortKey, within), encoded, source);
  }

  /** All index partitions of a target's incoming edges. */
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
    // A due-list has all edges of a type, wherever they lead.
    if (this.isDue) return `${this.base}-`;
    // In their first generation, orders that share an item have the edge's own sort key, which saves a new text.
    const base = this.base === this.edgeType ? edgeSortKey : this.base + edgeSortKey.slice(this.edgeType.length);
    // The escaped value contains no `#`, so it follows the last one, whatever the target's id contains.
    return within === undefined ? base : `${base}#${escapeForPartition(within)}`;
  }
}
