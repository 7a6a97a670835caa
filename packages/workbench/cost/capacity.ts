import type {
  CompiledModel,
  EdgeModel,
  InboundItem,
  NodeModel,
  SearchModel,
} from '../../../src/core/model/compiled.ts';
import { isJoinedEdge, joinedItemsOf, partsOfEdge } from '../../../src/core/model/joined.ts';

/**
 * Capacity units of the model's writes and queries, for items of up to 1 KB each. Source: DynamoDB bills a
 * write by started KB, once for the table and once for each index that the item is in, a read by started 4 KB, half of
 * that where eventually consistent.
 */

/** Write capacity units of one new item, by what is written. */
export interface PutCost {
  /** The type; of a part the node type and the part's name: `USER.STATE`. */
  type: string;
  kind: 'node' | 'part' | 'edge';
  /** The producer's own put. */
  base: number;
  /** The view. */
  view: number;
  /** Index items, those of their indexes included; one search item for each value of a multi-valued attribute. */
  indexItems: number;
  /** The reverse item of an edge that copies attributes of its target. */
  reverseItem: number;
  /** The entry of an edge in the total of its target, and that total: a transaction. A batch shares the two units of the total. */
  totalEntry: number;
  /** Read units: each item by which an edge is counted is read before it is written. */
  read: number;
  total: number;
  /** The base part within a transaction: twice that of the put; what is derived costs the same. */
  inTransaction: number;
  /** For a node: additional write units for each edge that enters it, by edge type, where an attribute that those copy changes. */
  fanOut?: Record<string, number>;
  /**
   * For a node or a part: additional write units for each edge that leaves the node, by edge type, where an attribute changes that the
   * edge's index items use. At most: an index costs two units where its key changes, none where the item is not in it.
   */
  outDegree?: Record<string, number>;
}

/** Read capacity units and calls of one query that finds at most 4 KB in each shard. */
export interface QueryCost {
  query: string;
  calls: number;
  rcu: number;
}

/** The costs of a model. */
export interface ModelCost {
  puts: PutCost[];
  queries: QueryCost[];
  /** The most that DynamoDB gives one partition: units a second, and gigabytes. An index partition without shards is one key of one. */
  partition: { wcu: number; rcu: number; gigabytes: number };
  /** Warnings of much higher costs than these units, one sentence each. */
  warnings: string[];
  assumptions: string;
}

const HALF_UNIT = 0.5;
/** Source: DynamoDB's developer guide on partitions. */
const PARTITION = { wcu: 1_000, rcu: 3_000, gigabytes: 10 };
const ASSUMPTIONS =
  'items of up to 1 KB, a view within its first KB, one batch for each put (records of one batch share the write of a view), eventually consistent reads';

/** Adds up the costs of every type and index of a model. */
export function modelCost(graph: CompiledModel): ModelCost {
  const puts: PutCost[] = [];
  const queries: QueryCost[] = [{ query: 'get: one node with its edge set', calls: 1, rcu: HALF_UNIT }];
  for (const node of graph.nodes.values()) {
    puts.push(costOfNodePut(node, graph), ...[...node.parts.keys()].map((part) => costOfPartPut(node, part, graph)));
    for (const search of node.searches.values()) queries.push(...costsOfSearchQueries(search));
  }
  for (const edge of graph.edges.values()) {
    puts.push(costOfEdgePut(edge));
    queries.push({ query: `edges ${edge.type}`, calls: 1, rcu: HALF_UNIT });
    if (edge.count !== undefined) queries.push({ query: `degree of ${edge.type}`, calls: 1, rcu: HALF_UNIT });
    if (edge.incoming !== undefined || edge.count?.totals !== undefined) {
      queries.push({ query: `total of ${edge.type}`, calls: 1, rcu: HALF_UNIT });
    }
    for (const order of edge.inbound?.orders.keys() ?? []) {
      const shards = edge.inbound?.shards ?? 1;
      // The owner comes in the same Query, where that is read backwards.
      const owner = edge.inbound?.includeTarget === true ? ', with its owner' : '';
      queries.push({ query: `inbound ${edge.type} by ${order}${owner}`, calls: shards, rcu: shards * HALF_UNIT });
    }
  }
  return { puts, queries, partition: PARTITION, warnings: hubWarnings(graph), assumptions: ASSUMPTIONS };
}

function costOfNodePut(node: NodeModel, graph: CompiledModel): PutCost {
  // A search item is written once in the table and once in its index, an owner item as the index items of its edges are.
  const ownerItems = node.ownerOf.reduce((sum, { inbound }) => sum + writesOfInboundItems(inbound?.items ?? []), 0);
  const indexItems = countSearches(node, undefined) * 2 + ownerItems;
  const put: PutCost = {
    type: node.type,
    kind: 'node',
    base: 1,
    view: 1,
    indexItems,
    reverseItem: 0,
    totalEntry: 0,
    read: 0,
    total: 2 + indexItems,
    inTransaction: 2,
  };
  const copying = [...graph.edges.values()].filter(({ copy, to }) => copy !== undefined && to.has(node.type));
  return {
    ...put,
    ...(copying.length > 0 && { fanOut: Object.fromEntries(copying.map(({ type }) => [type, 1])) }),
    ...outDegreeOf(edgesJoinedFrom(graph, node.type)),
  };
}

/** A part has a view of its own, and the searches by its attributes. */
function costOfPartPut(node: NodeModel, part: string, graph: CompiledModel): PutCost {
  const indexItems = countSearches(node, part) * 2;
  const using = edgesJoinedFrom(graph, node.type).filter((edge) => partsOfEdge(edge).has(part));
  return {
    ...{ type: `${node.type}.${part}`, kind: 'part', base: 1, view: 1, indexItems, reverseItem: 0, totalEntry: 0 },
    ...{ read: 0, total: 2 + indexItems, inTransaction: 2 },
    ...outDegreeOf(using),
  };
}

/** How many searches find a node by its own attributes, or by those of one part. */
function countSearches({ searches }: NodeModel, part: string | undefined): number {
  return [...searches.values()].filter((search) => search.part === part).length;
}

function edgesJoinedFrom({ edges }: CompiledModel, nodeType: string): EdgeModel[] {
  return [...edges.values()].filter((edge) => edge.from.has(nodeType) && isJoinedEdge(edge));
}

function outDegreeOf(joined: readonly EdgeModel[]): Pick<PutCost, 'outDegree'> {
  if (joined.length === 0) return {};
  return { outDegree: Object.fromEntries(joined.map((edge) => [edge.type, joinedChangeUnits(edge)])) };
}

/** Write units of a change of an edge's joined items: each once in the table, and taken out of and put into each index. */
function joinedChangeUnits(edge: EdgeModel): number {
  return joinedItemsOf(edge).reduce((sum, { orders }) => sum + 1 + 2 * orders.length, 0);
}

/** Edge types whose edges change one item of a hub, or whose index items each change of a hub writes. */
function hubWarnings({ edges }: CompiledModel): string[] {
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
      `${edge.type} has ${many}, as edges of hubs do, and its index items use the source: each change of a ${[...edge.from].join(' or ')} that they use writes ${joinedChangeUnits(edge)} WCU for every edge that leaves it`,
    ];
  });
  return [...ofTotals, ...ofJoined];
}

function costOfEdgePut(edge: EdgeModel): PutCost {
  const view = edge.labels === undefined ? 0 : 1;
  const indexItems = countEdgeIndexItems(edge);
  const reverseItem = edge.copy === undefined ? 0 : 1;
  const totalEntry = edge.incoming === undefined ? 0 : 4;
  const read = (edge.count === undefined ? 0 : 1) + (edge.incoming === undefined ? 0 : 1);
  return {
    type: edge.type,
    kind: 'edge',
    base: 1,
    view,
    indexItems,
    reverseItem,
    totalEntry,
    read,
    total: 1 + view + indexItems + reverseItem + totalEntry,
    inTransaction: 2,
  };
}

function countEdgeIndexItems({ inbound, count }: EdgeModel): number {
  const items = inbound?.items ?? [];
  if (count === undefined) return writesOfInboundItems(items);
  const named = items.filter(({ orderName }) => orderName !== undefined);
  const shared = items.find(({ orderName }) => orderName === undefined);
  // The item that is counted and the count are written in a transaction, at twice the capacity.
  const counted = writesOfInboundItems([shared ?? NO_ORDERS]) + 1;
  return writesOfInboundItems(named) + 2 * counted;
}

const NO_ORDERS = { orders: [] };

/** Each index item is written once in the table and once in each of its indexes. */
function writesOfInboundItems(items: readonly Pick<InboundItem, 'orders'>[]): number {
  return items.reduce((sum, { orders }) => sum + 1 + orders.length, 0);
}

function costsOfSearchQueries(search: SearchModel): QueryCost[] {
  const name = search.indexPartition;
  const isPath = search.order.kind === 'path';
  if (search.shards === 'value') return [{ query: `search ${name} eq`, calls: 1, rcu: HALF_UNIT }];
  // An equality, or a whole path, is found in one shard where that is taken from the value.
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
