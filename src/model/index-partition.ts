import { generationMark } from '../items/generation.ts';
import { hash128 } from '../items/keys.ts';
import { shardOf } from '../items/shard.ts';
import type { InboundModel, InboundOrder, SearchModel } from './compiled.ts';

/**
 * Partition keys of index items: a base (`USER.name`, `GOALMEMBERSHIP-USER-U1`, of a named order
 * `byPriority/GOALMEMBERSHIP-USER-U1`), for partitioned searches the partition's
 * value, and for sharded ones the shard: `USER.name#161`, `STORE.location#US#3`. Writer side and reader side of the
 * index both get them here.
 */

/** Values longer than this stand in a `shards: 'value'` key by their hash. */
const VALUE_IN_KEY_BYTES = 512;
const ESCAPED: Readonly<Record<string, string>> = { '%': '%25', '#': '%23', '@': '%40' };

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
