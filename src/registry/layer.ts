import { EdgeloomError } from '../errors.ts';
import type {
  CompiledModel,
  EdgeModel,
  InboundItem,
  InboundOrder,
  InboundSettings,
  InForce,
  NodeModel,
  OrderSettings,
  Projection,
  SearchModel,
  SearchSettings,
} from '../model/compiled.ts';
import { CountPlaces, EdgeItemPlaces, OrderPlaces, SearchPlaces } from '../model/projection/places.ts';
import { dataOf } from './data.ts';
import type { FamilyDefinition, KeyedDefinition, OrderDefinition, Owners, ViewDefinition } from './definition.ts';

/** A generation as the planner takes it. */
export interface Kept {
  /** Absent: the first. */
  generation?: number;
  settleBefore?: number;
  /** Whether a newer generation of the projection is kept. */
  isSuperseded?: boolean;
}

/** A search in a generation. */
export function keptSearch(search: SearchSettings, kept: Kept): SearchModel {
  return { ...search, inForce: inForce(new SearchPlaces(search, kept.generation), kept) };
}

/** An order of an edge type in a generation. */
export function keptOrder(
  edgeType: string,
  order: OrderSettings,
  settings: InboundSettings,
  { generation }: Kept,
): InboundOrder {
  return { ...order, places: new OrderPlaces(edgeType, order, settings, generation) };
}

function inForce<Places>(places: Places, { generation: _, ...kept }: Kept): InForce<Places> {
  return { places, ...kept };
}

/** A definition of a generation. */
export interface LayerPart {
  definition: KeyedDefinition;
  kept: Kept;
}

/**
 * Compiles views and generations: into one model what fits together, and into further ones, which are kept beside it, what
 * needs another definition of the same.
 */
export function compileLayers(
  views: readonly ViewDefinition[],
  parts: readonly LayerPart[],
  own: CompiledModel,
  fingerprint: string,
): CompiledModel {
  const first = new Layer();
  for (const view of views) first.addView(view);
  const layers = [first];
  for (const { definition, kept } of parts) {
    if (layers.some((layer) => layer.add(definition, kept))) continue;
    const layer = new Layer();
    layer.add(definition, kept);
    layers.push(layer);
  }
  const [primary, ...further] = layers.map((layer) => layer.compile(own, fingerprint));
  return { ...primary!, ...(further.length > 0 && { further }) };
}

/** One compiled model in the making. */
class Layer {
  private readonly nodes = new Map<string, { -readonly [K in keyof NodeModel]: NodeModel[K] }>();
  private readonly edges = new Map<string, { -readonly [K in keyof EdgeModel]: EdgeModel[K] }>();
  private readonly searches = new Map<
    string,
    Map<string, NodeModel['searches'] extends ReadonlyMap<string, infer S> ? S : never>
  >();
  /** Node types whose `view` decides something: that of their views, or that of their owner items. */
  private readonly viewed = new Set<string>();
  /** Edge types that have their shared item, or their count, here. */
  private readonly families = new Set<string>();

  /** Adds the views of a node type. Shapes are installed together, so that what two of them say of an edge type agrees. */
  addView({ type, view, viewBudgetBytes, edges }: ViewDefinition): void {
    const node = this.node(type);
    node.view = view;
    if (viewBudgetBytes !== undefined) node.viewBudgetBytes = viewBudgetBytes;
    this.viewed.add(type);
    for (const { labels, copy, ...typing } of edges) {
      const edge = this.edge(typing);
      const isNew = edge?.labels === undefined;
      if (edge === undefined || (!isNew && !sameData([edge.labels, edge.copy], [labels, copy]))) {
        throw conflict(type, typing.type);
      }
      edge.labels = labels;
      if (copy !== undefined) edge.copy = copy;
    }
  }

  /** Adds a generation; false where this model has another definition of something that it needs. */
  add(definition: KeyedDefinition, kept: Kept): boolean {
    if (definition.kind !== 'search') return this.addInbound(definition, kept);
    const { type, search } = definition;
    const node = this.node(type);
    const searches = this.searches.get(type) ?? new Map();
    if (searches.has(search.name)) return false;
    searches.set(search.name, keptSearch(search, kept));
    this.searches.set(type, searches);
    node.searches = searches;
    return true;
  }

  private addInbound(definition: FamilyDefinition | OrderDefinition, kept: Kept): boolean {
    const present = this.edges.get(definition.edge.type);
    const orders = definition.kind === 'order' ? [definition.order] : definition.orders;
    if (definition.kind === 'inbound' && this.families.has(definition.edge.type)) return false;
    if (orders.some(({ name }) => present?.inbound?.orders.has(name))) return false;
    if (present !== undefined && !sameData(typing(present), definition.edge)) return false;
    if (definition.settings !== undefined && present?.inbound !== undefined) {
      const { orders: _orders, items: _items, ...settings } = present.inbound;
      if (!sameData(settings, definition.settings)) return false;
    }
    if (![...(definition.owners ?? [])].every(([type, view]) => this.canShow(type, view))) return false;
    const edge = this.edge(definition.edge)!;
    if (definition.kind === 'inbound') {
      this.families.add(edge.type);
      if (definition.degree) edge.count = inForce(new CountPlaces(edge.type, kept.generation), kept);
    }
    if (definition.settings !== undefined) this.addOrders(edge, definition.settings, orders, kept);
    this.addOwners(definition.owners);
    return true;
  }

  private addOrders(
    edge: { -readonly [K in keyof EdgeModel]: EdgeModel[K] },
    settings: InboundSettings,
    added: readonly OrderSettings[],
    kept: Kept,
  ): void {
    const orders = new Map(edge.inbound?.orders);
    const marked = added.map((order) => keptOrder(edge.type, order, settings, kept));
    for (const order of marked) orders.set(order.name, order);
    const [named] = marked.filter(({ isNamed }) => isNamed);
    const places = new EdgeItemPlaces(edge.type, named?.name, kept.generation);
    const item: InboundItem = {
      ...(named && { orderName: named.name }),
      orders: marked,
      inForce: inForce(places, kept),
    };
    edge.inbound = { ...settings, orders, items: [...(edge.inbound?.items ?? []), item] };
  }

  private canShow(type: string, view: Projection): boolean {
    return !this.viewed.has(type) || sameData(this.node(type).view, view);
  }

  private addOwners(owners: Owners | undefined): void {
    for (const [type, view] of owners ?? []) {
      this.node(type).view = view;
      this.viewed.add(type);
    }
  }

  /** The compiled model. */
  compile(own: CompiledModel, fingerprint: string): CompiledModel {
    const edges = [...this.edges.values()];
    for (const [type, node] of this.nodes) {
      node.ownerOf = edges.filter(({ inbound, to }) => inbound?.includeOwner === true && to.has(type));
    }
    const usesGsi1 = edges.some(({ inbound }) => inbound?.orders.has('gsi1'));
    return {
      table: own.table,
      nodes: this.nodes,
      edges: this.edges,
      indexes: usesGsi1 ? ['gsi0', 'gsi1'] : ['gsi0'],
      fingerprint,
    };
  }

  private node(type: string) {
    let node = this.nodes.get(type);
    if (node === undefined) {
      node = { type, view: { kind: 'KEYS_ONLY' }, maxEntries: new Map(), searches: new Map(), ownerOf: [] };
      this.nodes.set(type, node);
    }
    return node;
  }

  /** The edge type, with the node types that it joins; undefined where it joins others here. */
  private edge(wanted: FamilyDefinition['edge']) {
    let edge = this.edges.get(wanted.type);
    if (edge === undefined) {
      edge = { ...wanted };
      this.edges.set(wanted.type, edge);
      for (const type of [...wanted.from, ...wanted.to]) this.node(type);
    }
    return sameData(typing(edge), wanted) ? edge : undefined;
  }
}

function typing({ type, from, to, keys }: EdgeModel): FamilyDefinition['edge'] {
  return { type, from, to, keys };
}

function sameData(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return JSON.stringify(dataOf(left)) === JSON.stringify(dataOf(right));
}

function conflict(type: string, edgeType: string): EdgeloomError {
  return new EdgeloomError(
    'registry-conflict',
    `The views of ${type} are defined with another ${edgeType} than the views of another type.`,
    `Drop the type that the model does not have any more (edgeloom migrate --drop), then migrate again.`,
  );
}
