import { generationMark } from '../items/generation.ts';
import { edgeIndexKey, hash128, isWithinBytes, SORT_KEY_BYTES, searchKey, searchValuePrefix } from '../items/keys.ts';
import { shardOf } from '../items/shard.ts';
import type { EdgeModel, InboundModel, InboundOrder, SearchModel } from './compiled.ts';

/**
 * Partition keys of index items: a base (`USER.name`, `GOALMEMBERSHIP-USER-U1`, of a named order
 * `byPriority/GOALMEMBERSHIP-USER-U1`), for partitioned searches the partition's
 * value, and for sharded ones the shard: `USER.name#161`, `STORE.location#US#3`. Writer side and reader side of the
 * index both get them here.
 */

/** Values longer than this stand in a `shards: 'value'` key by their hash. */
const VALUE_IN_KEY_BYTES = 512;
const ESCAPED: Readonly<Record<string, string>> = { '%': '%25', '#': '%23', '@': '%40' };

/**
 * Whether an index takes a partition key. What a generation and its shards add to a key does not count, so that what fits one
 * generation fits all of them; DynamoDB has room for it, since it takes partition keys of 2,048 bytes.
 */
export function isIndexPartition(
  partition: string,
  { generation = 1, shards }: { generation?: number | undefined; shards: number | 'value' },
): boolean {
  const ofShard = shards === 'value' || shards === 1 ? '' : `#${shards}`;
  return isWithinBytes(partition, SORT_KEY_BYTES + generationMark(generation).length + ofShard.length);
}

/** The index partition of an edge's index item in an order. */
export function inboundPartition(
  inbound: InboundModel,
  order: InboundOrder,
  edgeSortKey: string,
  encoded: string,
  source: string,
  partition?: string,
): string {
  const base = inboundBase(order, edgeSortKey, partition);
  if (inbound.shards === 1) return base;
  const text = inbound.shardBy === 'source' ? source : encoded;
  return withShard(base, shardOf(text, inbound.shards, inbound.hash));
}

/** Every index partition that holds a target's incoming edges of one type in an order. */
export function inboundPartitions(
  inbound: InboundModel,
  order: InboundOrder,
  edgeSortKey: string,
  partition?: string,
): string[] {
  return allShards(inboundBase(order, edgeSortKey, partition), inbound.shards);
}

/** The index partition of a search item. */
export function searchPartition(
  search: SearchModel,
  partition: string | undefined,
  encoded: string,
  source: string,
): string {
  const base = searchBase(search, partition);
  const { shards } = search;
  if (shards === 'value') return `${base}#${valueInKey(encoded)}`;
  if (shards === 1) return base;
  const text = search.shardBy === 'source' ? source : encoded;
  return withShard(base, shardOf(text, shards, search.hash));
}

/** The index partitions in which a search for one encoded value has to look: one, unless the shard is by source. */
export function searchPartitionsOf(search: SearchModel, partition: string | undefined, encoded: string): string[] {
  if (search.shards !== 'value' && search.shardBy === 'source') return searchPartitions(search, partition);
  return [searchPartition(search, partition, encoded, '')];
}

/** Every index partition of a search; with `shards: 'value'` there is no list of them. */
export function searchPartitions(search: SearchModel, partition: string | undefined): string[] {
  if (search.shards === 'value') return [];
  return allShards(searchBase(search, partition), search.shards);
}

/** Names of orders begin with a small letter, the edge types and searches that others begin with do not. */
function inboundBase(order: InboundOrder, edgeSortKey: string, partition: string | undefined): string {
  const base = inboundBaseOf(order, edgeSortKey);
  // Without a `#` of its own the value is what stands behind the last one, whatever the target's id holds.
  return partition === undefined ? base : `${base}#${escaped(partition)}`;
}

function inboundBaseOf({ name, isNamed, generation = 1 }: InboundOrder, edgeSortKey: string): string {
  const mark = generationMark(generation);
  if (isNamed) return `${name}${mark}/${edgeSortKey}`;
  const dash = edgeSortKey.indexOf('-');
  return mark === '' ? edgeSortKey : edgeSortKey.slice(0, dash) + mark + edgeSortKey.slice(dash);
}

function searchBase({ indexPartition, generation = 1 }: SearchModel, partition: string | undefined): string {
  // A search named `name#1` must not share a partition with the first shard of `name`, nor `name@2` with a generation.
  const base = escaped(indexPartition) + generationMark(generation);
  return partition === undefined ? base : `${base}#${partition}`;
}

function escaped(text: string): string {
  return text.replace(/[%#@]/g, (character) => ESCAPED[character]!);
}

function unescaped(text: string): string {
  return text.replace(/%(?:25|23|40)/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/**
 * The keys in the table of the items that a question asks its index partitions for. Whoever may write an item of the table may
 * give it the keys of any index partition; the item's own key tells that it is not of the projection.
 */
export interface ItemKeys {
  /** What partition keys begin with, one of these. */
  sources: readonly string[];
  /** The sort key, or what it begins with. */
  target: string;
  isPrefix: boolean;
}

/** The keys of a search's items: the nodes of its type, each with the key of the search. */
export function searchItemKeys({ indexPartition, name, each, generation }: SearchModel): ItemKeys {
  const sources = [`${indexPartition.slice(0, indexPartition.indexOf('.'))}-`];
  const target = each ? searchValuePrefix(name, generation) : searchKey(name, generation);
  return { sources, target, isPrefix: each };
}

/** The keys of the index items of edges with one sort key in an order. */
export function inboundItemKeys({ from }: EdgeModel, order: InboundOrder, edgeSortKey: string): ItemKeys {
  const target = edgeIndexKey(edgeSortKey, order.isNamed ? order.name : undefined, order.generation);
  return { sources: [...from].map((type) => `${type}-`), target, isPrefix: false };
}

/** Whether an item with these keys in the table is one of those that a question asks for. */
export function isAsked({ sources, target, isPrefix }: ItemKeys, source: string, sortKey: string): boolean {
  const isTarget = isPrefix ? sortKey.startsWith(target) : sortKey === target;
  return isTarget && sources.some((prefix) => source.startsWith(prefix));
}

/** The projection in whose index partitions an item lies, by the partition's key; `order` is that of a named order. */
export type IndexPlace =
  | { of: 'search'; type: string; search: string; generation: number }
  | { of: 'edge'; edgeType: string; order?: string; generation: number };

/** Type, dash or point, and what stands before them where an order is named. */
const OF_SEARCH = /^([A-Z][A-Z0-9_]*)\.([^@#]*)(?:@([1-9]\d{0,8}))?(?:#|$)/s;
const OF_EDGES = /^([A-Z][A-Z0-9_]*)(?:@([1-9]\d{0,8}))?-/;
const OF_NAMED_ORDER = /^([a-z][A-Za-z0-9_]*)(?:@([1-9]\d{0,8}))?\/([A-Z][A-Z0-9_]*)-/;

/** Takes the key of an index partition apart as far as its projection goes; undefined where no projection has such a key. */
export function parseIndexPartition(partition: string): IndexPlace | undefined {
  const ofSearch = OF_SEARCH.exec(partition);
  if (ofSearch !== null) {
    const [, type = '', search = '', generation] = ofSearch;
    return { of: 'search', type, search: unescaped(search), generation: Number(generation ?? 1) };
  }
  const ofEdges = OF_EDGES.exec(partition);
  if (ofEdges !== null) return { of: 'edge', edgeType: ofEdges[1]!, generation: Number(ofEdges[2] ?? 1) };
  const named = OF_NAMED_ORDER.exec(partition);
  if (named === null) return undefined;
  return { of: 'edge', edgeType: named[3]!, order: named[1]!, generation: Number(named[2] ?? 1) };
}

function withShard(base: string, shard: number): string {
  return `${base}#${shard}`;
}

function allShards(base: string, shards: number): string[] {
  return shards === 1 ? [base] : Array.from({ length: shards }, (_, i) => withShard(base, i + 1));
}

/** `=value`, or `~hash` where the value is long: the marks keep the two apart. */
function valueInKey(encoded: string): string {
  return Buffer.byteLength(encoded) <= VALUE_IN_KEY_BYTES ? `=${encoded}` : `~${hash128(encoded)}`;
}
