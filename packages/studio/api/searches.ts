import * as z from 'zod';
import { countEachShard, type ShardsResult, shardsResult } from '../../../src/client/read/lists/count-search.ts';
import type { SearchScope } from '../../../src/client/read/lists/search-query.ts';
import { findSearch } from '../../../src/client/read/request/lookup.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import type { RequestContext } from '../base/context.ts';
import { route } from '../base/route.ts';

export interface ShardsAnswer extends ShardsResult {
  /** From shard 1 on. */
  counts: number[];
  shardBy: 'value' | 'source';
}

const SHARDS_AT_ONCE = 32;

export const SEARCH_ROUTES = [
  route(
    'GET /api/shards',
    z.object({ name: z.string(), partition: z.string().optional() }),
    async (context, { name, partition }): Promise<ShardsAnswer> => shardsAnswer(context, name, { partition }),
  ),
];

async function shardsAnswer(context: RequestContext, name: string, scope: SearchScope): Promise<ShardsAnswer> {
  const { graph, store, leases } = context;
  const declared = findSearch(graph, name);
  return await leases.hold(async (projections) => {
    const read = {
      ...{ graph, store, stored: store, projections, concurrency: SHARDS_AT_ONCE },
      ...{ readNumber: losslessNumber, now: Date.now },
    };
    const counted = await countEachShard(read, declared, scope);
    return { ...shardsResult(counted), counts: counted.counts, shardBy: counted.search.shardBy };
  });
}
