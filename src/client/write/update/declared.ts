import { typePrefix } from '../../../core/items/keys.ts';
import type {
  CompiledModel,
  EdgeModel,
  NodeModel,
  OrderModel,
  PartModel,
  Projection,
  SearchModel,
} from '../../../core/model/compiled.ts';
import { isJoinedEdge } from '../../../core/model/joined.ts';
import type { ItemKey } from '../../../core/store-port.ts';

/** Returns the attributes that the model's options name. Enumerating the attributes reads all of them. */
export function declaredAttributes(graph: CompiledModel, { type, key }: Declared): Set<string> {
  if ('from' in type) return new Set(attributesOfEdge(type));
  const node = 'searches' in type ? type : graph.nodes.get(typePrefix(key.source) ?? '')!;
  const part = type === node ? undefined : key.target;
  const searches = [...node.searches.values()].filter((search) => search.part === part).flatMap(attributesOfSearch);
  const joined = [...graph.edges.values()].filter((edge) => edge.from.has(node.type) && isJoinedEdge(edge));
  const ofSources = joined.flatMap(attributesOfSource);
  if (part !== undefined) {
    const view = node.parts.get(part)?.view?.view;
    const start = `${part}.`;
    const ofPart = ofSources.filter((name) => name.startsWith(start)).map((name) => name.slice(start.length));
    return new Set([...(view === undefined ? [] : attributesOfProjection(view)), ...searches, ...ofPart]);
  }
  const copied = [...graph.edges.values()].flatMap(({ to, copy = [] }) => (to.has(node.type) ? copy : []));
  return new Set([
    ...attributesOfProjection(node.view),
    ...node.maxEntries.keys(),
    ...searches,
    ...copied,
    ...ofSources,
  ]);
}

interface Declared {
  type: NodeModel | EdgeModel | PartModel;
  key: ItemKey;
}

function attributesOfSearch({ order, partition, project }: SearchModel): string[] {
  return [
    ...attributesOfOrder(order),
    ...(partition === undefined ? [] : [partition]),
    ...attributesOfProjection(project),
  ];
}

function attributesOfSource({ inbound }: EdgeModel): string[] {
  if (inbound === undefined) return [];
  const { orders, projectSource = [], partition } = inbound;
  const ordered = [...orders.values()].flatMap(({ order }) => attributesOfOrder(order, 'source'));
  return [...ordered, ...projectSource, ...(partition?.of === 'source' ? [partition.attribute] : [])];
}

function attributesOfEdge({ labels = [], inbound }: EdgeModel): string[] {
  const ofLabels = labels.flatMap(({ from }) => (from.kind === 'attribute' ? [from.attribute] : []));
  const orders = [...(inbound?.orders.values() ?? [])].flatMap(({ order }) => attributesOfOrder(order));
  const partition = inbound?.partition?.of === 'edge' ? [inbound.partition.attribute] : [];
  return [
    ...ofLabels,
    ...orders,
    ...partition,
    ...(inbound === undefined ? [] : attributesOfProjection(inbound.project)),
  ];
}

function attributesOfOrder(order: OrderModel, of: 'self' | 'source' = 'self'): readonly string[] {
  if (order.kind === 'parts') return order.parts.flatMap((part) => attributesOfOrder(part, of));
  if (order.kind === 'source') return of === 'source' ? [order.order.attribute] : [];
  if (of === 'source' || order.kind === 'derive') return [];
  return order.kind === 'path' ? order.attributes : [order.attribute];
}

function attributesOfProjection(projection: Projection): readonly string[] {
  return projection.kind === 'LIST' ? projection.attributes : [];
}
