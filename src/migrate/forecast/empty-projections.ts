import type { Item } from '../../core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../core/items/derived-item.ts';
import { parseDerivedKey } from '../../core/items/derived-key.ts';
import { typePrefix } from '../../core/items/keys.ts';
import { classifyKey } from '../../core/model/base-item.ts';
import {
  type CompiledModel,
  derivedSearches,
  type EdgeModel,
  type InboundOrder,
  type SearchModel,
} from '../../core/model/compiled.ts';
import { sourceAttributesOf } from '../../core/model/joined.ts';
import type { OrderModel } from '../../core/model/options/settings.ts';
import { isBaseSortKey } from '../../core/plan/stream-filter.ts';
import { figureText } from '../../foundation/figure.ts';
import { searchName } from '../../registry/definition.ts';
import type { PlannedChange } from '../../registry/planned-changes.ts';
import type { WalkedItem } from '../../store/table-walk.ts';
import { expectedItemsOf } from '../walks/expected-items.ts';
import type { SampledItem, TableSample } from './sample.ts';

const MOST_SUGGESTED = 3;

interface TypeSample {
  items: number;
  attributes: Map<string, number>;
}

/** A projection will usually be empty because an attribute was renamed and the items haven't been rewritten. */
export function emptyProjectionWarnings(
  graph: CompiledModel,
  changes: readonly PlannedChange[],
  sample: TableSample,
): string[] {
  const built = new Set(changes.filter(({ change }) => change !== 'extra').map(({ name }) => name));
  const types = new Map<string, TypeSample>();
  const filled = new Set<string>();
  for (const walked of sample.items) {
    const type = typeOfItem(graph, walked);
    if (type === undefined) continue;
    countItem(types, type, walked);
    for (const { sortKey, fields } of expectedItemsOf(graph, walked, new Map())) {
      for (const name of namesOf(graph, walked.source, sortKey, fields)) filled.add(name);
    }
  }
  const ofProjections = projectionsOf(graph).flatMap(({ name, projection, type, orders }) => {
    const found = types.get(type);
    const attributes = orders.flatMap(attributesOf);
    // Orders without attributes use a `derive` function, which may read anything.
    if (!built.has(projection) || filled.has(name) || found === undefined || attributes.length === 0) return [];
    if (attributes.some((attribute) => found.attributes.has(attribute))) return [];
    const used = new Set([...usedAttributes(graph, type), graph.table.partitionKey, graph.table.sortKey]);
    const others = [...found.attributes].filter(([attribute]) => !used.has(attribute));
    const suggested = others
      .sort(([name, left], [other, right]) => right - left || (name < other ? -1 : 1))
      .slice(0, MOST_SUGGESTED);
    const number = (count: number): string => `${sample.isWhole ? '' : 'about '}${figureText(Math.round(count))}`;
    const have = suggested.map(([attribute, count]) => `${number(count)} have ${attribute}`);
    const none = `${name} will be empty: no ${type} has ${attributes.join(' or ')}`;
    return [[none, have.join(', ') || `there are ${number(found.items)}`].join('; ')];
  });
  const newTotals = [...graph.edges.values()].filter(({ type }) => built.has(`inbound:${type}`));
  return [...ofProjections, ...newTotals.flatMap((edge) => totalWarnings(edge, types.get(edge.type)))];
}

/** Lists can take an attribute from the source node, totals only from the edge. */
function totalWarnings(edge: EdgeModel, found: TypeSample | undefined): string[] {
  const { type, count, incoming } = edge;
  const parts = [count?.totals, incoming?.totals].flatMap((totals) => [
    ...(totals?.sums ?? []),
    ...(totals?.groups ?? []),
  ]);
  const ofSource = new Set(sourceAttributesOf(edge));
  return [...new Set(parts.map(({ attribute }) => attribute))].flatMap((attribute) => {
    if (found === undefined ? !ofSource.has(attribute) : found.attributes.has(attribute)) return [];
    const none = found === undefined ? '' : `; no ${type} has ${attribute}`;
    const lists = ofSource.has(attribute) ? `, while lists take ${attribute} from its source` : '';
    return [`the total of ${type} takes ${attribute} from the edge itself${lists}${none}: write it on the edge too`];
  });
}

interface NamedProjection {
  name: string;
  /** The projection of the search whose item this search shares; for anything else, the same as `name`. */
  projection: string;
  type: string;
  orders: readonly OrderModel[];
}

function projectionsOf({ nodes, edges }: CompiledModel): NamedProjection[] {
  const ofSearch = (type: string, { name, itemOf, part, order }: SearchModel): NamedProjection => ({
    name: searchName(type, name),
    projection: searchName(type, itemOf),
    type: part === undefined ? type : `${type}.${part}`,
    orders: [order],
  });
  const ofNodes = [...nodes.values()].flatMap(({ type, searches }) =>
    derivedSearches(searches).map((search) => ofSearch(type, search)),
  );
  const ofEdges = [...edges.values()].flatMap(({ type, inbound, count }) => {
    // Leaves out due-lists, because an empty one isn't a sign of a mistake.
    const all = inbound === undefined || inbound.native ? [] : [...inbound.orders.values()];
    const shared = all.filter(({ isNamed }) => !isNamed);
    const alone = all.filter(({ isNamed }) => isNamed);
    const named = (name: string, orders: OrderModel[]): NamedProjection => ({ name, projection: name, type, orders });
    const ofOrder = ({ name, order }: InboundOrder) => named(`order:${type}.${name}`, [order]);
    // A counted edge has an index item even if none of its orders has a value.
    const together = named(
      `inbound:${type}`,
      shared.map(({ order }) => order),
    );
    return [...(shared.length === 0 || count !== undefined ? [] : [together]), ...alone.map(ofOrder)];
  });
  return [...ofNodes, ...ofEdges];
}

function attributesOf(order: OrderModel): string[] {
  switch (order.kind) {
    case 'attribute':
    case 'rank':
      return [order.attribute];
    case 'path':
      return order.attributes.slice(0, 1);
    case 'parts':
      return order.parts.slice(0, 1).flatMap(attributesOf);
    default:
      return [];
  }
}

function usedAttributes(graph: CompiledModel, type: string): string[] {
  return projectionsOf(graph)
    .filter((one) => one.type === type)
    .flatMap(({ orders }) => orders.flatMap(attributesOf));
}

function typeOfItem(graph: CompiledModel, { source, target }: WalkedItem): string | undefined {
  if (!isBaseSortKey(target)) return undefined;
  const kind = classifyKey(graph, source, target);
  if (kind.kind === 'node') return kind.node.type;
  if (kind.kind === 'part') return `${kind.node.type}.${kind.part.name}`;
  return kind.kind === 'edge' || kind.kind === 'hashed' ? kind.edge.type : undefined;
}

function countItem(types: Map<string, TypeSample>, type: string, { item, share }: SampledItem): void {
  const found = types.get(type) ?? { items: 0, attributes: new Map<string, number>() };
  found.items += share;
  for (const name of Object.keys(item)) found.attributes.set(name, (found.attributes.get(name) ?? 0) + share);
  types.set(type, found);
}

function namesOf({ nodes }: CompiledModel, source: string, sortKey: string, fields: Item): string[] {
  const key = parseDerivedKey(sortKey);
  if (key?.kind !== 'index-item') return [];
  if (key.of === 'edge') {
    return [key.order === undefined ? `inbound:${key.edgeType}` : `order:${key.edgeType}.${key.order}`];
  }
  const type = typePrefix(source) ?? '';
  return [...(nodes.get(type)?.searches.values() ?? [])]
    .filter(({ index, inForce }) => inForce.places.isKeyOfSearch(sortKey) && INDEX_KEYS[index].partition in fields)
    .map(({ name }) => searchName(type, name));
}
