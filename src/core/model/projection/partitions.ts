import { generationMark } from '../../items/generation.ts';
import { hash128, type IndexPartitionKey, isWithinBytes, SORT_KEY_BYTES } from '../../items/keys.ts';
import { shardOf } from '../../items/shard.ts';
import type { InboundSettings, SearchSettings } from '../options/option-tables.ts';

/** The shards of an index partition. */

/** For values longer than this a `shards: 'value'` key has their hash. */
const VALUE_IN_KEY_BYTES = 512;

/** How the index partitions of a projection are spread. */
type Spread =
  | Pick<InboundSettings, 'shards' | 'shardBy' | 'hash'>
  | Pick<SearchSettings, 'shards' | 'shardBy' | 'hash'>;

function withShard(base: string, shard: number): IndexPartitionKey {
  return `${base}#${shard}` as IndexPartitionKey;
}

/** Tells whether a `shards: 'value'` key has the hash of a value. */
export function isHashedInKey(encoded: string): boolean {
  return !isWithinBytes(encoded, VALUE_IN_KEY_BYTES);
}

/** `=value`, or `~hash` where the value is long: the marks keep the two apart. */
function valueInKey(encoded: string): string {
  return isHashedInKey(encoded) ? `~${hash128(encoded)}` : `=${encoded}`;
}

/** The index partitions that begin alike: those of a search, or of an order. */
export class Partitions {
  private readonly limitBytes: number;

  constructor(
    private readonly spread: Spread,
    generation: number,
  ) {
    const { shards } = spread;
    const ofShard = shards === 'value' || shards === 1 ? '' : `#${shards}`;
    this.limitBytes = SORT_KEY_BYTES + generationMark(generation).length + ofShard.length;
  }

  /**
   * Tells whether an index takes a partition key. The marks of a generation and of its shards do not count, so that a key which fits in one
   * generation fits in all of them; DynamoDB has room for it, since it takes partition keys of 2,048 bytes.
   */
  fits(partition: IndexPartitionKey): boolean {
    return isWithinBytes(partition, this.limitBytes);
  }

  /** The partition of an item. */
  partitionOf(base: string, encoded: string, source: string): IndexPartitionKey {
    const { shards, shardBy, hash } = this.spread;
    if (shards === 1) return base as IndexPartitionKey;
    if (shards === 'value') return `${base}#${valueInKey(encoded)}` as IndexPartitionKey;
    return withShard(base, shardOf(shardBy === 'source' ? source : encoded, shards, hash));
  }

  /** Every partition; of `shards: 'value'` there is no list. Longer keys than an index takes are of no item. */
  allPartitions(base: string): IndexPartitionKey[] {
    const { shards } = this.spread;
    if (shards === 'value') return [];
    const partitions =
      shards === 1 ? [base as IndexPartitionKey] : Array.from({ length: shards }, (_, i) => withShard(base, i + 1));
    return partitions.filter((partition) => this.fits(partition));
  }

  /** The partitions of items with one value: one, unless the shard is by source. */
  partitionsOfValue(base: string, encoded: string): IndexPartitionKey[] {
    const { shards, shardBy } = this.spread;
    if (shards !== 'value' && shards !== 1 && shardBy === 'source') return this.allPartitions(base);
    return [this.partitionOf(base, encoded, '')].filter((partition) => this.fits(partition));
  }
}
