import type { CompiledModel, EdgeModel, NodeModel, OrderModel, Projection } from '../../model/compiled.ts';

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
  return [...ofProjection(node.view), ...node.maxEntries.keys(), ...searches, ...copied];
}

function ofEdge({ labels = [], inbound }: EdgeModel): string[] {
  const ofLabels = labels.flatMap(({ from }) => (from.kind === 'attribute' ? [from.attribute] : []));
  const orders = [...(inbound?.orders.values() ?? [])].flatMap(({ order }) => ofOrder(order));
  return [...ofLabels, ...orders, ...(inbound === undefined ? [] : ofProjection(inbound.project))];
}

function ofOrder(order: OrderModel): readonly string[] {
  if (order.kind === 'path') return order.attributes;
  return order.kind === 'derive' ? [] : [order.attribute];
}

function ofProjection(projection: Projection): readonly string[] {
  return projection.kind === 'LIST' ? projection.attributes : [];
}
