import type {
  CompiledModel,
  EdgeModel,
  NodeModel,
  OrderModel,
  Projection,
  SearchModel,
} from '../../../src/core/model/compiled.ts';
import { heldAttributes } from '../../../src/core/model/compiled.ts';
import { NODE_LIST } from '../../../src/core/model/node-list.ts';

export interface DescribedModel {
  fingerprint: string;
  nodes: DescribedNode[];
  edges: DescribedEdge[];
}

export interface DescribedNode {
  type: string;
  /** True if queries can list all nodes of the type. */
  isListed: boolean;
  searches: DescribedSearch[];
}

export interface DescribedOrder {
  from: string;
  kind: OrderModel['kind'];
  type?: string;
  attribute?: string;
  /** Lowest rank first. */
  labels?: string[];
  /** The attributes of a path, or the values of a multi-part order. */
  path?: readonly string[];
}

export interface DescribedSearch extends DescribedOrder {
  name: string;
  shards: number | 'value';
  isNative: boolean;
  shardBy: 'value' | 'source';
  /** The attribute whose value each query must give. */
  partition?: string;
  part?: string;
  filters: 'ALL' | readonly string[];
}

export interface DescribedEdge {
  type: string;
  from: string[];
  to: string[];
  /** Absent if the edge set excludes the type. */
  labels?: string[];
  orders: (DescribedOrder & { name: string })[];
  shards: number;
  isNative: boolean;
  isCounted: boolean;
  partition?: string;
  filters: 'ALL' | readonly string[];
}

export function describeModel(model: CompiledModel): DescribedModel {
  return {
    fingerprint: model.fingerprint,
    nodes: [...model.nodes.values()].map(describeNode),
    edges: [...model.edges.values()].map(describeEdge),
  };
}

function describeNode({ type, searches }: NodeModel): DescribedNode {
  return {
    type,
    isListed: searches.has(NODE_LIST),
    searches: [...searches.values()].filter(({ name }) => name !== NODE_LIST).map(describeSearch),
  };
}

function describeSearch(search: SearchModel): DescribedSearch {
  const { indexPartition: name, order, shards, shardBy, partition, part, project, native } = search;
  return {
    name,
    ...describeOrder(order),
    shards,
    shardBy,
    isNative: native,
    filters: filtersOf(project),
    ...(partition !== undefined && { partition }),
    ...(part !== undefined && { part }),
  };
}

function describeEdge({ type, from, to, labels, inbound, count }: EdgeModel): DescribedEdge {
  return {
    type,
    from: [...from],
    to: [...to],
    isCounted: count !== undefined,
    ...(labels !== undefined && { labels: labels.map(({ name }) => name) }),
    orders: [...(inbound?.orders.values() ?? [])].map(({ name, order }) => ({ name, ...describeOrder(order) })),
    shards: inbound?.shards ?? 1,
    isNative: inbound?.native === true,
    filters: inbound === undefined ? [] : filtersOf(heldAttributes(inbound)),
    ...(inbound?.partition !== undefined && { partition: inbound.partition.attribute }),
  };
}

function describeOrder(order: OrderModel): DescribedOrder {
  const { kind } = order;
  if (kind === 'attribute') return { kind, from: order.attribute, type: order.type };
  if (kind === 'rank') {
    const labels = [...order.weights].sort(([, left], [, right]) => (left < right ? -1 : 1)).map(([label]) => label);
    return { kind, from: `rank of ${order.attribute}`, attribute: order.attribute, labels };
  }
  if (kind === 'path') return { kind, from: order.attributes.join(' / '), path: order.attributes };
  if (kind === 'parts') {
    const path = order.parts.map((part) => describeOrder(part).from);
    return { kind, from: path.join(', then '), path };
  }
  if (kind === 'source') {
    const { from, ...own } = describeOrder(order.order);
    return { ...own, kind, from: `source(${from})` };
  }
  return { kind, from: 'computed', type: 'string' };
}

function filtersOf(projection: Projection): 'ALL' | readonly string[] {
  if (projection.kind === 'ALL') return 'ALL';
  return projection.kind === 'LIST' ? projection.attributes : [];
}
