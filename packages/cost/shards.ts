import { changesPerSecondOf, SHARD_CHANGES, shardsFor } from '../../src/core/items/capacity.ts';
import type { CompiledModel, SearchModel } from '../../src/core/model/compiled.ts';
import { NODE_LIST } from '../../src/core/model/node-list.ts';
import { countText } from '../../src/foundation/figure.ts';
import { fewerShardsText, MANY_SHARDS } from '../../src/trust/explain/advice.ts';
import type { Load } from './monthly.ts';

export interface ShardAdvice {
  search: string;
  shards: number;
  putsPerSecond: number;
  /** DynamoDB calls for a page of a range, a prefix or `latest`, which query all shards. */
  rangeCalls: number;
  rangeRcu: number;
  /** Shards needed at the given rate, each with half its capacity in reserve. Absent without a rate. */
  needed?: number;
  warning?: string;
}

/**
 * Returns advice for each search with numbered shards. An index partition accepts 1,000 WCU per second. Each shard adds a partition, but
 * also half an RCU and a call to every search that queries all shards.
 */
export function modelShards(graph: CompiledModel, load?: Pick<Load, 'putsPerSecond' | 'shares'>): ShardAdvice[] {
  return [...graph.nodes.values()].flatMap(({ type, searches }) => {
    return [...searches.values()]
      .filter(({ name }) => name !== NODE_LIST)
      .flatMap((search) => {
        const of = search.part === undefined ? type : `${type}.${search.part}`;
        return shardAdvice(search, { putsPerSecond: load && putsOfType(graph, load, of) }) ?? [];
      });
  });
}

function putsOfType(
  { nodes, edges }: CompiledModel,
  { putsPerSecond, shares }: Pick<Load, 'putsPerSecond' | 'shares'>,
  type: string,
): number {
  const parts = [...nodes.values()].reduce((sum, node) => sum + node.parts.size, 0);
  if (shares.size === 0) return putsPerSecond / (nodes.size + parts + edges.size);
  const all = [...shares.values()].reduce((sum, one) => sum + one, 0);
  return (putsPerSecond * (shares.get(type) ?? 0)) / all;
}

export function shardAdvice(
  search: SearchModel,
  { putsPerSecond, hottestShare }: { putsPerSecond?: number | undefined; hottestShare?: number } = {},
): ShardAdvice | undefined {
  const { shards, indexPartition } = search;
  if (shards === 'value') return undefined;
  const share = hottestShare === undefined || hottestShare === 0 ? 1 / shards : Math.max(hottestShare, 1 / shards);
  const needed = putsPerSecond === undefined ? undefined : shardsFor(putsPerSecond);
  const advice: ShardAdvice = {
    search: search.name === NODE_LIST ? `list of ${indexPartition.slice(0, -1)}` : indexPartition,
    shards,
    putsPerSecond: changesPerSecondOf(share),
    rangeCalls: shards,
    rangeRcu: shards / 2,
    ...(needed !== undefined && { needed }),
  };
  const warning = warningOf(search, advice);
  return warning === undefined ? advice : { ...advice, warning };
}

function warningOf(of: SearchModel, advice: ShardAdvice): string | undefined {
  const { search, shards, needed, rangeCalls, rangeRcu, putsPerSecond } = advice;
  if (needed !== undefined && needed > shards) {
    return `${search} needs ${needed} shards at this rate and has ${shards}, which take ${putsPerSecond} changes a second`;
  }
  if (shards < MANY_SHARDS || needed === shards) return undefined;
  const fewer = needed ?? 1;
  const rate = needed === undefined ? `up to ${SHARD_CHANGES} changes a second need one` : `this rate needs ${needed}`;
  return `${search} has ${shards} shards: a range, a prefix or latest takes ${rangeCalls} calls and ${rangeRcu} RCU at least; ${rate}, with ${countText(fewer, 'call')} and ${fewer / 2} RCU: ${fewerShardsText(of, fewer)}`;
}
