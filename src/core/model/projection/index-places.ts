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

/**
 * The partition keys of indexes: `USER.name` for a search, `GOALMEMBERSHIP-USER-U1` for an edge type's shared orders,
 * `byPriority/GOALMEMBERSHIP-USER-U1` for a named order, `USER.name@2` for a later generation. A partition value and
 * the shard may follow, as in `STORE.location#US#3`.
 */

export type IndexPlace =
  | { of: 'search'; type: string; search: string; generation: number }
  | { of: 'edge'; edgeType: string; order?: string; generation: number };

const ESCAPED: Readonly<Record<string, string>> = { '%': '%25', '#': '%23', '@': '%40' };

/** Returns the beginning of a partition key. For an edge type, the edge's sort key follows, without the type. */
export function formatIndexPartition(place: IndexPlace): string {
  const mark = generationMark(place.generation);
  // A search named `name#1` must not share a partition with the first shard of `name`.
  if (place.of === 'search') return escapeForPartition(`${place.type}.${place.search}`) + mark;
  const { edgeType, order } = place;
  return order === undefined ? edgeType + mark : `${order}${mark}/${edgeType}`;
}

const OF_SEARCH = /^([A-Z][A-Z0-9_]*)\.([^@#]*)(?:@([1-9]\d{0,8}))?(?:#|$)/s;
const OF_EDGES = /^([A-Z][A-Z0-9_]*)(?:@([1-9]\d{0,8}))?-/;
const OF_NAMED_ORDER = /^([a-z][A-Za-z0-9_]*)(?:@([1-9]\d{0,8}))?\/([A-Z][A-Z0-9_]*)-/;

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

function escapeForPartition(text: string): string {
  return text.replace(/[%#@]/g, (character) => ESCAPED[character]!);
}

export function unescapeFromPartition(text: string): string {
  return text.replace(/%(?:25|23|40)/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** Longer values are replaced by a hash in partition keys. */
const VALUE_IN_KEY_BYTES = 512;

function withShard(base: string, shard: number): IndexPartitionKey {
  return `${base}#${shard}` as IndexPartitionKey;
}

export function isHashedInKey(encoded: string): boolean {
  return !isWithinBytes(encoded, VALUE_IN_KEY_BYTES);
}

/** Different first characters keep a value from being read as a hash. */
function valueInKey(encoded: string): string {
  return isHashedInKey(encoded) ? `~${hash128(encoded)}` : `=${encoded}`;
}

/** The name of the due-list's order. `compileInbound` refuses it as the name of an order. */
export const DUE_ORDER = 'expires';

export interface PlacesOptions {
  generation?: number | undefined;
  /** False for items that only readers make. Their keys needn't fit an index. Default: true. */
  isStored?: boolean;
}

export abstract class IndexPlaces {
  private readonly limitBytes: number;

  readonly isStored: boolean;

  constructor(
    private readonly spread: Pick<SearchSettings, 'shards' | 'shardBy' | 'hash'>,
    { generation = 1, isStored = true }: PlacesOptions,
  ) {
    this.isStored = isStored;
    const { shards } = spread;
    const ofShard = shards === 'value' || shards === 1 ? '' : `#${shards}`;
    this.limitBytes = SORT_KEY_BYTES + generationMark(generation).length + ofShard.length;
  }

  /** Ignores the marks of generation and shard, so that a key that fits in one generation fits in all. */
  fits(partition: IndexPartitionKey): boolean {
    return !this.isStored || isWithinBytes(partition, this.limitBytes);
  }

  protected partitionIn(base: string, encoded: string, source: string): IndexPartitionKey {
    const { shards, shardBy, hash } = this.spread;
    if (shards === 1) return base as IndexPartitionKey;
    if (shards === 'value') return `${base}#${valueInKey(encoded)}` as IndexPartitionKey;
    return withShard(base, shardOf(shardBy === 'source' ? source : encoded, shards, hash));
  }

  /** Partitions of `shards: 'value'` can't be listed. Keys that are too long for an index have no items. */
  protected partitionsIn(base: string): IndexPartitionKey[] {
    const { shards } = this.spread;
    if (shards === 'value') return [];
    const partitions =
      shards === 1 ? [base as IndexPartitionKey] : Array.from({ length: shards }, (_, i) => withShard(base, i + 1));
    return partitions.filter((partition) => this.fits(partition));
  }

  protected partitionsOfValueIn(base: string, encoded: string): IndexPartitionKey[] {
    const { shards, shardBy } = this.spread;
    if (shards !== 'value' && shardBy === 'source') return this.partitionsIn(base);
    return [this.partitionIn(base, encoded, '')].filter((partition) => this.fits(partition));
  }
}

/**
 * Recognizes a projection's items by their keys in the table, so that readers can skip other items in its index
 * partitions. `sources` are prefixes of the partition key. `target` is the sort key or, with `isPrefix`, its prefix.
 */
export interface ItemKeys {
  sources: readonly string[];
  target: string;
  isPrefix: boolean;
}

export function isHitOf({ sources, target, isPrefix }: ItemKeys, source: string, sortKey: string): boolean {
  const isTarget = isPrefix ? sortKey.startsWith(target) : sortKey === target;
  return isTarget && sources.some((prefix) => source.startsWith(prefix));
}

/** Makes the sort keys of an edge type's index items: those that the first orders share, or those of a named order. */
export class EdgeItemPlaces {
  readonly prefix: string;
  readonly targetItemKey: DerivedSortKey;

  constructor(edgeType: string, orderName: string | undefined, generation = 1) {
    this.prefix = edgeIndexPrefix(orderName, generation);
    this.targetItemKey = targetItemKey(edgeType, orderName, generation);
  }

  key(edgeSortKey: string): DerivedSortKey {
    return fittingKey(this.prefix, edgeSortKey);
  }
}

export class OrderPlaces extends IndexPlaces {
  private readonly items: EdgeItemPlaces;
  private readonly base: string;
  /** True for the due-list, whose partitions hold the edges of all targets. */
  readonly isDue: boolean;

  constructor(
    private readonly edgeType: string,
    { name, isNamed }: OrderSettings,
    spread: Pick<InboundSettings, 'shards' | 'shardBy' | 'hash'>,
    options: PlacesOptions = {},
  ) {
    super(spread, options);
    const { generation = 1 } = options;
    const named = isNamed ? { order: name } : {};
    this.isDue = name === DUE_ORDER;
    this.items = new EdgeItemPlaces(edgeType, named.order, generation);
    this.base = formatIndexPartition({ of: 'edge', edgeType, ...named, generation });
  }

  get targetItemKey(): DerivedSortKey {
    return this.items.targetItemKey;
  }

  itemKeys(from: Iterable<string>, edgeSortKey: string): ItemKeys {
    return { sources: [...from].map((type) => `${type}-`), target: this.items.key(edgeSortKey), isPrefix: false };
  }

  /** @param within the value of the partition attribute. */
  partition(edgeSortKey: string, encoded: string, source: string, within?: string): IndexPartitionKey {
    return this.partitionIn(this.partitionBase(edgeSortKey, within), encoded, source);
  }

  partitions(edgeSortKey: string, within?: string): IndexPartitionKey[] {
    return this.partitionsIn(this.partitionBase(edgeSortKey, within));
  }

  partitionsOfValue(edgeSortKey: string, encoded: string, within?: string): IndexPartitionKey[] {
    return this.partitionsOfValueIn(this.partitionBase(edgeSortKey, within), encoded);
  }

  private partitionBase(edgeSortKey: string, within: string | undefined): string {
    if (this.isDue) return `${this.base}-`;
    // Avoids making a new string in the first generation.
    const base = this.base === this.edgeType ? edgeSortKey : this.base + edgeSortKey.slice(this.edgeType.length);
    // The escaped value contains no `#`, so `listOfEdges` finds it after the last one.
    return within === undefined ? base : `${base}#${escapeForPartition(within)}`;
  }
}
