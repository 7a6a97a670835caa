import {
  type CompiledModel,
  type EdgeModel,
  type InboundItem,
  type InboundOrder,
  type InboundSettings,
  type InForce,
  indexesInUse,
  type NodeModel,
  type OrderSettings,
  type PartModel,
  type PartSettings,
  type PartView,
  type Projection,
  type SearchModel,
} from '../core/model/compiled.ts';
import { INBOUND_OPTIONS, settingsIn } from '../core/model/options/option-tables.ts';
import { DUE_ORDER, EdgeItemPlaces, OrderPlaces } from '../core/model/projection/index-places.ts';
import { CountPlaces, PartPlaces, TotalPlaces } from '../core/model/projection/places.ts';
import { searchesOfPack } from '../core/model/projection/search-pack.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { dataOf } from './data.ts';
import {
  ABSENCE,
  type Definition,
  type DefinitionKind,
  type FamilyDefinition,
  nodesDecidingOf,
  type OrderDefinition,
  type Owners,
  type PartDefinition,
  type SearchDefinition,
  typingOf,
  type ViewDefinition,
} from './definition.ts';

export interface Kept {
  generation?: number;
  /**
   * Searches (such as `USER.name`) that a newer generation also has. For a projection without searches, its own name.
   */
  superseded?: ReadonlySet<string>;
}

export function searchesInGeneration({ search, packed = [] }: SearchDefinition, kept: Kept): SearchModel[] {
  return searchesOfPack([search, ...packed], kept.generation).map((one) => ({
    ...one,
    inForce: inForceOf(one.inForce.places, kept.superseded?.has(one.indexPartition)),
  }));
}

export function partInGeneration(part: PartSettings, kept: Kept): PartView {
  return { ...part, inForce: projectionInForce(new PartPlaces(part.name, kept.generation), kept) };
}

export function orderInGeneration(
  edgeType: string,
  order: OrderSettings,
  settings: InboundSettings,
  { generation }: Kept,
): InboundOrder {
  return { ...order, places: new OrderPlaces(edgeType, order, settings, { generation }) };
}

export function countInGeneration(edgeType: string, kept: Kept): InForce<CountPlaces> {
  return projectionInForce(new CountPlaces(edgeType, kept.generation), kept);
}

export function totalInGeneration(edgeType: string, kept: Kept): InForce<TotalPlaces> {
  return projectionInForce(new TotalPlaces(edgeType, kept.generation), kept);
}

function projectionInForce<Places>(places: Places, { superseded }: Kept): InForce<Places> {
  return inForceOf(places, superseded !== undefined);
}

function inForceOf<Places>(places: Places, isSuperseded = false): InForce<Places> {
  return { places, ...(isSuperseded && { isSuperseded }) };
}

export interface LayerPart<Kind extends DefinitionKind = DefinitionKind> {
  definition: Extract<Definition, { kind: Kind }>;
  kept: Kept;
}

export function compileLayers(parts: readonly LayerPart[], own: CompiledModel, fingerprint: string): CompiledModel {
  const layers = [new Layer()];
  const isView = ({ definition }: LayerPart): boolean => definition.kind === 'view';
  for (const { definition, kept } of [...parts.filter(isView), ...parts.filter((part) => !isView(part))]) {
    if (layers.some((layer) => layer.add(definition, kept))) continue;
    const layer = new Layer();
    layer.add(definition, kept);
    layers.push(layer);
  }
  const [primary, ...further] = layers.map((layer) => layer.compile(own, fingerprint));
  return { ...primary!, ...(further.length > 0 && { further }) };
}

type EditedEdge = { -readonly [K in keyof EdgeModel]: EdgeModel[K] };

type Absence = Pick<NodeModel, (typeof ABSENCE)[number]>;

class Layer {
  private readonly nodes = new Map<string, { -readonly [K in keyof NodeModel]: NodeModel[K] }>();
  private readonly edges = new Map<string, EditedEdge>();
  private readonly searches = new Map<string, Map<string, SearchModel>>();
  /** Node types whose `view` is set, by their own view or by a list that includes its targets. */
  private readonly viewed = new Set<string>();
  private readonly including = new Map<string, Set<string>>();
  private readonly absence = new Map<string, Absence>();
  private readonly families = new Set<string>();

  /** Returns false if the definition conflicts with another in the layer. */
  add(definition: Definition, kept: Kept): boolean {
    switch (definition.kind) {
      case 'search':
        return this.addSearch(definition, kept);
      case 'part':
        return this.addPart(definition, kept);
      case 'inbound':
        return this.addFamily(definition, kept);
      case 'order':
        return this.addOrders(definition, [definition.order], kept) !== undefined;
      case 'view':
        return this.addView(definition);
      case 'index':
        // DynamoDB maintains the index.
        return true;
    }
  }

  /** Throws on a conflict, because the views of all types change together and have to agree about each edge type. */
  private addView(definition: ViewDefinition): boolean {
    const { type, view, viewBudgetBytes, edges } = definition;
    const other = this.otherAbsence(definition);
    if (other !== undefined) throw registryConflict(type, other);
    this.addAbsence(definition);
    const node = this.node(type);
    node.view = view;
    node.hasView = true;
    if (viewBudgetBytes !== undefined) node.viewBudgetBytes = viewBudgetBytes;
    this.viewed.add(type);
    for (const { labels, copy, ...typing } of edges) {
      const edge = this.edge(typing);
      const isNew = edge?.labels === undefined;
      if (edge === undefined || (!isNew && !sameData([edge.labels, edge.copy], [labels, copy]))) {
        throw registryConflict(type, typing.type);
      }
      edge.labels = labels;
      if (copy !== undefined) edge.copy = copy;
    }
    return true;
  }

  private addSearch(definition: SearchDefinition, kept: Kept): boolean {
    const { type, search } = definition;
    const searches = this.searches.get(type) ?? new Map();
    const added = searchesInGeneration(definition, kept);
    if (added.some(({ name }) => searches.has(name)) || this.otherAbsence(definition) !== undefined) return false;
    this.addAbsence(definition);
    for (const one of added) searches.set(one.name, one);
    this.searches.set(type, searches);
    this.node(type).searches = searches;
    if (search.part !== undefined) this.setPart(type, this.part(type, search.part));
    return true;
  }

  private addPart({ type, part }: PartDefinition, kept: Kept): boolean {
    const present = this.part(type, part.name);
    if (present.view !== undefined) return false;
    this.setPart(type, { ...present, view: partInGeneration(part, kept) });
    return true;
  }

  private part(type: string, name: string): PartModel {
    return this.nodes.get(type)?.parts.get(name) ?? { name };
  }

  private setPart(type: string, part: PartModel): void {
    const node = this.node(type);
    node.parts = new Map(node.parts).set(part.name, part);
  }

  private addFamily(definition: FamilyDefinition, kept: Kept): boolean {
    const { type } = definition.edge;
    if (this.families.has(type)) return false;
    const edge = this.addOrders(definition, definition.orders, kept);
    if (edge === undefined) return false;
    this.families.add(type);
    const { degree, outgoing, incoming } = definition;
    if (degree) edge.count = { ...countInGeneration(type, kept), ...(outgoing && { totals: outgoing }) };
    // rule: each-generation-has-a-total-of-its-own
    if (incoming !== undefined) edge.incoming = { ...totalInGeneration(type, kept), totals: incoming };
    return true;
  }

  private addOrders(
    definition: FamilyDefinition | OrderDefinition,
    orders: readonly OrderSettings[],
    kept: Kept,
  ): EditedEdge | undefined {
    const { edge: expected, settings, owners } = definition;
    const present = this.edges.get(expected.type);
    const list = listOf(orders);
    const known = present?.[list];
    if (orders.some(({ name }) => known?.orders.has(name))) return undefined;
    if (present !== undefined && !sameData(typingOf(present), expected)) return undefined;
    if (settings !== undefined && known !== undefined) {
      if (!sameData(settingsIn(INBOUND_OPTIONS, known), settings)) return undefined;
    }
    if (![...(owners ?? [])].every(([type, view]) => this.canShow(type, view))) return undefined;
    if (this.otherAbsence(definition) !== undefined) return undefined;
    const edge = this.edge(expected)!;
    this.addAbsence(definition);
    if (settings !== undefined) setOrders(edge, settings, orders, kept);
    this.addOwners(expected.type, owners);
    return edge;
  }

  private otherAbsence(definition: Exclude<Definition, PartDefinition>): string | undefined {
    return nodesDecidingOf(definition).find((type) => {
      const known = this.absence.get(type);
      return known !== undefined && ABSENCE.some((option) => known[option] !== definition[option]?.get(type));
    });
  }

  private addAbsence(definition: Exclude<Definition, PartDefinition>): void {
    for (const type of nodesDecidingOf(definition)) {
      const given: Absence = Object.fromEntries(ABSENCE.map((option) => [option, definition[option]?.get(type)]));
      const absence = absenceOf(given);
      this.absence.set(type, absence);
      if (Object.keys(absence).length > 0) Object.assign(this.node(type), absence);
    }
  }

  private canShow(type: string, view: Projection): boolean {
    return !this.viewed.has(type) || sameData(this.node(type).view, view);
  }

  private addOwners(edgeType: string, owners: Owners | undefined): void {
    for (const [type, view] of owners ?? []) {
      this.node(type).view = view;
      this.viewed.add(type);
      this.including.set(edgeType, (this.including.get(edgeType) ?? new Set()).add(type));
    }
  }

  compile(own: CompiledModel, fingerprint: string): CompiledModel {
    const edges = [...this.edges.values()];
    for (const [type, node] of this.nodes) {
      // `own` decides, because no definition of this layer depends on when nodes of the type count as absent.
      if (!this.absence.has(type)) Object.assign(node, absenceOf(own.nodes.get(type)));
      node.includedBy = edges.filter((edge) => this.including.get(edge.type)?.has(type));
    }
    return {
      table: own.table,
      nodes: this.nodes,
      edges: this.edges,
      indexes: indexesInUse(this.nodes.values(), edges),
      fingerprint,
    };
  }

  private node(type: string) {
    let node = this.nodes.get(type);
    if (node === undefined) {
      node = bareNode(type);
      this.nodes.set(type, node);
    }
    return node;
  }

  private edge(expected: FamilyDefinition['edge']) {
    let edge = this.edges.get(expected.type);
    if (edge === undefined) {
      edge = { ...expected };
      this.edges.set(expected.type, edge);
      for (const type of [...expected.from, ...expected.to]) this.node(type);
    }
    return sameData(typingOf(edge), expected) ? edge : undefined;
  }
}

function absenceOf(node: Absence | undefined): Absence {
  return Object.fromEntries(
    ABSENCE.flatMap((option) => (node?.[option] === undefined ? [] : [[option, node[option]]])),
  );
}

export function bareNode(type: string, own?: Absence): NodeModel {
  return {
    ...absenceOf(own),
    type,
    view: { kind: 'KEYS_ONLY' },
    hasView: false,
    maxEntries: new Map(),
    searches: new Map(),
    parts: new Map(),
    includedBy: [],
  };
}

/** The due-list has its own options. */
function listOf(orders: readonly OrderSettings[]): 'due' | 'inbound' {
  return orders.some(({ name }) => name === DUE_ORDER) ? 'due' : 'inbound';
}

function setOrders(edge: EditedEdge, settings: InboundSettings, added: readonly OrderSettings[], kept: Kept): void {
  const list = listOf(added);
  const orders = new Map(edge[list]?.orders);
  const marked = added.map((order) => orderInGeneration(edge.type, order, settings, kept));
  for (const order of marked) orders.set(order.name, order);
  const [named] = marked.filter(({ isNamed }) => isNamed);
  const places = new EdgeItemPlaces(edge.type, named?.name, kept.generation);
  const item: InboundItem = {
    ...(named && { orderName: named.name }),
    orders: marked,
    inForce: projectionInForce(places, kept),
  };
  edge[list] = { ...settings, orders, items: [...(edge[list]?.items ?? []), item], native: false };
}

function sameData(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return JSON.stringify(dataOf(left)) === JSON.stringify(dataOf(right));
}

function registryConflict(type: string, edgeType: string): EdgeloomError {
  return new EdgeloomError(
    'registry-conflict',
    `The views of ${type} are defined with another ${edgeType} than the views of another type.`,
    `Drop the type that the model does not have any more (edgeloom migrate --drop), then migrate again.`,
  );
}
