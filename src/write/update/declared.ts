import type { CompiledModel, EdgeModel, NodeModel, OrderModel, Projection } from '../../model/compiled.ts';
import { isJoinedEdge } from '../../model/joined.ts';

/** The attributes of a type that the model names. What its validator declares shows when the validator looks at them. */
export function declaredAttributes(graph: CompiledModel, type: NodeModel | EdgeModel): Set<string> {
  return new Set('from' in type ? ofEdge(type) : ofNode(graph, type));
}

function ofNode(graph: CompiledModel, node: NodeModel): string[] {
  const searches = [...node.searches.values()].flatMap(({ order, partition, project }) => [
    ...ofOrder(order),
    ...(partition === undefined ? [] : [partition]),
    ...ofProjection(project),
  ]);
  const copied = [...graph.edges.values()].flatMap(({ to, copy = [] }) => (to.has(node.type) ? copy : []));
  const joined = [...graph.edges.values()].filter((edge) => edge.from.has(node.type) && isJoinedEdge(edge));
  return [...ofProjection(node.view), ...node.maxEntries.keys(), ...searches, ...copied, ...joined.flatMap(ofSource)];
}

/** The attributes of its source nodes that an edge type names. */
function ofSource({ inbound }: EdgeModel): string[] {
  if (inbound === undefined) return [];
  const { orders, projectSource = [], partition } = inbound;
  const ordered = [...orders.values()].flatMap(({ order }) => ofOrder(order, 'source'));
  return [...ordered, ...projectSource, ...(partition?.of === 'source' ? [partition.attribute] : [])];
}

function ofEdge({ labels = [], inbound }: EdgeModel): string[] {
  const ofLabels = labels.flatMap(({ from }) => (from.kind === 'attribute' ? [from.attribute] : []));
  const orders = [...(inbound?.orders.values() ?? [])].flatMap(({ order }) => ofOrder(order));
  const partition = inbound?.partition?.of === 'edge' ? [inbound.partition.attribute] : [];
  return [...ofLabels, ...orders, ...partition, ...(inbound === undefined ? [] : ofProjection(inbound.project))];
}

/** The attributes that an order names of the item itself, or of its source node. */
function ofOrder(order: OrderModel, of: 'self' | 'source' = 'self'): readonly string[] {
  if (order.kind === 'parts') return order.parts.flatMap((part) => ofOrder(part, of));
  if (order.kind === 'source') return of === 'source' ? [order.order.attribute] : [];
  if (of === 'source' || order.kind === 'derive') return [];
  return order.kind === 'path' ? order.attributes : [order.attribute];
}

function ofProjection(projection: Projection): readonly string[] {
  return projection.kind === 'LIST' ? projection.attributes : [];
}
