import * as z from 'zod';
import {
  countEachShard,
  type ShardCounts,
  type ShardsResult,
  shardsResult,
} from '../../../src/client/read/lists/count-search.ts';
import type { SearchScope } from '../../../src/client/read/lists/search-list.ts';
import { findSearch } from '../../../src/client/read/request/lookup.ts';
import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../../src/core/items/derived-item.ts';
import { encodedValueOf } from '../../../src/core/items/encoding.ts';
import { type HashName, shardOf } from '../../../src/core/items/shard.ts';
import type { SearchModel } from '../../../src/core/model/compiled.ts';
import { queryPages } from '../../../src/core/store-pages.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import type { RequestContext } from '../base/context.ts';
import { route } from '../base/route.ts';

/** How a search lies over its shards, and how it would with each hash. */
export interface ShardsAnswer extends ShardsResult {
  /** Items of each shard, from shard 1 on. */
  counts: number[];
  shardBy: 'value' | 'source';
  /** The number of items that both hashes were tried on. */
  compared: number;
  /** The number of these items that each shard would have, by hash. */
  byHash: Record<HashName, number[]>;
}

/**
 * The studio shows how evenly each hash (`HASHES`) would spread the items of a search over its shards. It hashes about this number of
 * items at most: of a larger search, the same part of each shard.
 */
const MOST_COMPARED = 20_000;
const SHARDS_AT_ONCE = 32;
const HASHES = ['fnv1a', 'codepoint-product'] as const satisfies readonly HashName[];

/** The shards of searches. */
export const SEARCH_ROUTES = [
  route(
    'GET /api/shards',
    z.object({ name: z.string(), partition: z.string().optional() }),
    async (context, { name, partition }): Promise<ShardsAnswer> => shardsAnswer(context, name, { partition }),
  ),
];

function countByShard(texts: readonly string[], shards: number, hash: HashName): number[] {
  const counts = Array<number>(shards).fill(0);
  for (const text of texts) counts[shardOf(text, shards, hash) - 1]! += 1;
  return counts;
}

async function shardsAnswer(context: RequestContext, name: string, scope: SearchScope): Promise<ShardsAnswer> {
  const { graph, store, leases } = context;
  const declared = findSearch(graph, name);
  return await leases.hold(async (projections) => {
    const read = {
      graph,
      store,
      stored: store,
      projections,
      concurrency: SHARDS_AT_ONCE,
      readNumber: losslessNumber,
      now: Date.now,
    };
    const counted = await countEachShard(read, declared, scope);
    const result = shardsResult(counted);
    const texts = await hashedTexts(context, counted, result.items);
    const byHash = Object.fromEntries(HASHES.map((hash) => [hash, countByShard(texts, result.shards, hash)]));
    return {
      ...result,
      counts: counted.counts,
      shardBy: counted.search.shardBy,
      compared: texts.length,
      byHash: byHash as Record<HashName, number[]>,
    };
  });
}

/** The texts that decide about the shard of a search's items: of many items a share of each shard. */
async function hashedTexts(
  { graph, store }: RequestContext,
  { search, counts, partitions }: ShardCounts,
  items: number,
): Promise<string[]> {
  const share = Math.min(1, MOST_COMPARED / Math.max(1, items));
  const found = await Promise.all(
    partitions.map(async (partition, i) => {
      const most = Math.ceil(counts[i]! * share);
      const texts: string[] = [];
      if (most === 0) return texts;
      for await (const page of queryPages(store, { index: search.index, partition, limit: most })) {
        texts.push(...page.items.map((item) => hashedText(search, item, graph.table.partitionKey)));
        if (texts.length >= most) break;
      }
      return texts.slice(0, most);
    }),
  );
  return found.flat();
}

/** The source decides with `shardBy: 'source'`, else the encoded value. */
function hashedText({ shardBy, index }: SearchModel, item: Item, partitionKey: string): string {
  const source = stringOf(item[partitionKey]) ?? '';
  return shardBy === 'source' ? source : encodedValueOf(stringOf(item[INDEX_KEYS[index].sort]) ?? '', source);
}
