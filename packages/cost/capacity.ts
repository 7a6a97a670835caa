import { PARTITION_WCU } from '../../src/core/items/capacity.ts';
import { checkNativeIndexes } from '../../src/core/model/compile/check-native.ts';
import { Mistakes } from '../../src/core/model/compile/mistakes.ts';
import type { CompiledModel, InboundModel, SearchModel } from '../../src/core/model/compiled.ts';
import { isJoinedEdge } from '../../src/core/model/joined.ts';
import { nativeAttribute } from '../../src/core/model/native-indexes.ts';
import { NODE_LIST } from '../../src/core/model/node-list.ts';
import { chosenSettings, INBOUND_OPTIONS } from '../../src/core/model/options/option-tables.ts';
import { optionsNeedingKeys } from '../../src/core/model/options/option-works.ts';
import { costsOfEdgeSets, type EdgeSetCost } from './edge-sets.ts';
import { costsOfWrites, type ValueCounts, type WriteCost } from './writes.ts';

export interface QueryCost {
  query: string;
  calls: number;
  rcu: number;
}

export interface Overhead {
  part: string;
  each: string;
  wcu: number;
  rcu: number;
}

export interface ModelCost {
  writes: WriteCost[];
  queries: QueryCost[];
  overheads: Overhead[];
  edgeSets: EdgeSetCost[];
  /** DynamoDB's limits per partition. A list or search without shards uses a single partition of its index. */
  partition: { wcu: number; rcu: number; gigabytes: number };
  warnings: string[];
  advice: string[];
  assumptions: string;
}

const HALF_UNIT = 0.5;
const PARTITION = { wcu: PARTITION_WCU, rcu: 3_000, gigabytes: 10 };
/** Seconds between a reader's reads of the registry, a consumer's saves of its progress, and an observer's saves of its state. */
export const [LEASE_SECONDS, PROGRESS_SECONDS, OBSERVER_SAVE_SECONDS] = [30, 10, 5];
const OVERHEADS: Overhead[] = [
  { part: 'registry, by the projector', each: 'batch', wcu: 0, rcu: 1 },
  { part: 'registry, by a reader', each: `${LEASE_SECONDS} seconds in which it is asked`, wcu: 0, rcu: 1 },
  { part: 'progress', each: `${PROGRESS_SECONDS} seconds of a consumer with records`, wcu: 2, rcu: 0 },
  { part: 'observer', each: `${OBSERVER_SAVE_SECONDS} seconds, and 1 WCU more for each shard`, wcu: 2, rcu: 0 },
];
const ASSUMPTIONS =
  'items of up to 1 KB, a view within its first KB, every attribute that the model uses present, computed values unchanged, a batch ' +
  'for each write (records of one batch share the write of a view), one edge on the other side, eventually consistent queries; by ' +
  'hand: index keys on the item itself, an index of ALL for each search and order, edges queried instead of edge sets, no copies, ' +
  'counts in a transaction, a source that orders edges written to each of them';

/**
 * Returns the capacity units of a model's writes and queries, for items of at most 1 KB. DynamoDB bills a unit per started KB written, in
 * the table and in each index with the item, and a unit per started 4 KB read (half if eventually consistent).
 *
 * @param values number of values per item for each multi-valued search. Default: one
 */
export function modelCost(graph: CompiledModel, values: ValueCounts = new Map()): ModelCost {
  const queries: QueryCost[] = [{ query: 'get: one node with its edge set', calls: 1, rcu: HALF_UNIT }];
  for (const node of graph.nodes.values()) {
    for (const search of node.searches.values()) queries.push(...costsOfSearchQueries(search));
  }
  for (const edge of graph.edges.values()) {
    queries.push({ query: `edges ${edge.type}`, calls: 1, rcu: HALF_UNIT });
    if (edge.count !== undefined) queries.push({ query: `degree of ${edge.type}`, calls: 1, rcu: HALF_UNIT });
    if (edge.incoming !== undefined || edge.count?.totals !== undefined) {
      queries.push({ query: `total of ${edge.type}`, calls: 1, rcu: HALF_UNIT });
    }
    for (const order of edge.inbound?.orders.keys() ?? []) {
      const shards = edge.inbound?.shards ?? 1;
      // In reverse order, the Query also returns the target, without another call.
      const target = edge.inbound?.includeTarget === true ? ', with its target' : '';
      queries.push({ query: `inbound ${edge.type} by ${order}${target}`, calls: shards, rcu: shards * HALF_UNIT });
    }
  }
  const writes = costsOfWrites(graph, values);
  const warnings = hubWarnings(graph, writes);
  return {
    ...{ writes, queries, overheads: OVERHEADS, edgeSets: costsOfEdgeSets(graph) },
    ...{
      partition: PARTITION,
      warnings,
      advice: [...viewAdvice(graph), ...nativeAdvice(graph, writes)],
      assumptions: ASSUMPTIONS,
    },
  };
}

function viewAdvice({ nodes }: CompiledModel): string[] {
  return [...nodes.values()]
    .filter(({ hasView, view }) => hasView && view.kind === 'ALL')
    .map(
      ({ type }) =>
        `The view of ${type} has ALL: a change of a node of 3 KB takes 7 WCU; with a list of names it takes 3, and 4 if one of these changes`,
    );
}

function nativeAdvice(graph: CompiledModel, writes: readonly WriteCost[]): string[] {
  return [...graph.edges.values()].flatMap((edge) => {
    const { type, inbound } = edge;
    if (inbound === undefined || !mayBeNative(inbound)) return [];
    const edges = new Map(graph.edges).set(type, { ...edge, inbound: { ...inbound, native: true } });
    const mistakes = new Mistakes();
    checkNativeIndexes({ ...graph, edges }, mistakes);
    if (mistakes.areAny) return [];
    const [before, after] = [writes, costsOfWrites({ ...graph, edges }, new Map())].map(
      (costs) => costs.find((one) => one.type === type && one.write === 'create')!.total,
    ) as [number, number];
    if (after >= before) return [];
    return [
      `A new ${type} takes ${before} WCU; with native: true in edges.${type}.inbound it takes ${after}, and each order an index of the table`,
    ];
  });
}

function mayBeNative(inbound: InboundModel): boolean {
  const { native, orders } = inbound;
  if (native || optionsNeedingKeys(INBOUND_OPTIONS, chosenSettings(INBOUND_OPTIONS, inbound)).length > 0) return false;
  return [...orders.values()].every(({ order }) => nativeAttribute(order) !== undefined);
}

function hubWarnings({ edges }: CompiledModel, writes: readonly WriteCost[]): string[] {
  const ofTotals = [...edges.values()].flatMap(({ type, incoming, to }) =>
    incoming === undefined
      ? []
      : [
          `${type} has a total under inbound: each edge of a batch of its own takes 4 WCU of the partition of the ${[...to].join(' or ')} that it enters, which takes 1,000 a second; writers of a hub's edges wait for each other`,
        ],
  );
  const ofJoined = [...edges.values()].filter(isJoinedEdge).flatMap((edge) => {
    const many = edge.labels === undefined ? 'edgeSet: false' : edge.count === undefined ? undefined : 'degree: true';
    if (many === undefined) return [];
    return [
      `${edge.type} has ${many}, as edges of hubs do, and its index items use the source: each change of a ${[...edge.from].join(' or ')} that they use writes up to ${mostForAnEdge(edge.type, writes)} WCU for every edge that leaves it`,
    ];
  });
  return [...ofTotals, ...ofJoined];
}

function mostForAnEdge(type: string, writes: readonly WriteCost[]): number {
  const changes = writes.filter(({ write }) => write === 'change');
  return Math.max(...changes.map(({ perEdge }) => perEdge?.[type]?.wcu ?? 0));
}

function costsOfSearchQueries(search: SearchModel): QueryCost[] {
  const name = search.indexPartition;
  const isPath = search.order.kind === 'path';
  if (search.name === NODE_LIST)
    return [
      {
        query: `list nodes ${name.slice(0, -1)}`,
        calls: Number(search.shards),
        rcu: Number(search.shards) * HALF_UNIT,
      },
    ];
  if (search.shards === 'value') return [{ query: `search ${name} eq`, calls: 1, rcu: HALF_UNIT }];
  // With shards chosen by value, an equality or whole-path query reads one shard.
  const eqCalls = search.shardBy === 'source' ? search.shards : 1;
  return [
    { query: `search ${name} ${isPath ? 'whole path' : 'eq'}`, calls: eqCalls, rcu: eqCalls * HALF_UNIT },
    {
      query: `search ${name} ${isPath ? 'leading segments' : 'prefix, range'}, latest`,
      calls: search.shards,
      rcu: search.shards * HALF_UNIT,
    },
  ];
}
