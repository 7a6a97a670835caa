import { EdgeloomError } from '../errors.ts';
import type {
  CompiledModel,
  EdgeModel,
  InboundOrder,
  InboundSettings,
  NodeModel,
  OrderSettings,
  Projection,
  SearchSettings,
} from '../model/compiled.ts';
import {
  INBOUND_OPTION_EFFECTS,
  type OptionEffect,
  ORDER_OPTION_EFFECTS,
  SEARCH_OPTION_EFFECTS,
} from '../model/projection/settings.ts';
import { type Data, dataOf, derivesOf, fingerprintOf } from './data.ts';

/**
 * What a model says of each of its projections, and of the views of each node type, taken apart: a definition holds all that
 * its items depend on, so that two models with the same definition make the same items of the same base items.
 */

/** What decides which base items are edges of a type. */
export type EdgeTyping = Pick<EdgeModel, 'type' | 'from' | 'to' | 'keys'>;
/** What the views show of the nodes that are in their own index partitions. */
export type Owners = ReadonlyMap<string, Projection>;

/** A search of a node type. */
export interface SearchDefinition {
  kind: 'search';
  type: string;
  search: SearchSettings;
}

/** The item that gsi0 and gsi1 share, with the count of the edges and the owner's item. */
export interface FamilyDefinition {
  kind: 'inbound';
  edge: EdgeTyping;
  degree: boolean;
  orders: readonly OrderSettings[];
  settings?: InboundSettings;
  owners?: Owners;
}

/** A named order. */
export interface OrderDefinition {
  kind: 'order';
  edge: EdgeTyping;
  order: OrderSettings;
  settings: InboundSettings;
  owners?: Owners;
}

/** The views of a node type: what they show of the node, and of the edges that leave it. */
export interface ViewDefinition {
  kind: 'view';
  type: string;
  view: Projection;
  viewBudgetBytes?: number;
  edges: readonly (EdgeTyping & Pick<EdgeModel, 'labels' | 'copy'>)[];
}

/** The definition of a projection with keys of its own. */
export type KeyedDefinition = SearchDefinition | FamilyDefinition | OrderDefinition;
/** Any definition. */
export type Definition = KeyedDefinition | ViewDefinition;

/** A definition with what is known of it: the data that the registry keeps, and its fingerprints. */
export interface Defined<D extends Definition = Definition> {
  name: string;
  definition: D;
  data: Data;
  /** Of all of it. */
  fingerprint: string;
  /** Of all but how items are spread over index partitions: what a reader's results depend on. */
  meaning: string;
  /** The functions, by place. */
  code: ReadonlyMap<string, object>;
}

/** The definitions of a model. */
export interface Definitions {
  /** By name. */
  projections: ReadonlyMap<string, Defined<KeyedDefinition>>;
  /** By node type. */
  views: ReadonlyMap<string, Defined<ViewDefinition>>;
}

const known = new WeakMap<CompiledModel, Definitions>();

/** Takes a model apart; once for each model. */
export function definitionsOf(model: CompiledModel): Definitions {
  let definitions = known.get(model);
  if (definitions === undefined) {
    definitions = takeApart(model);
    known.set(model, definitions);
  }
  return definitions;
}

/** The name of a search. */
export function searchName(type: string, search: string): string {
  return `search:${type}.${search}`;
}

/** The name of what gsi0, gsi1 and the count of an edge type are. */
export function familyName(edgeType: string): string {
  return `inbound:${edgeType}`;
}

/** The name of a named order. */
export function orderName(edgeType: string, order: string): string {
  return `order:${edgeType}.${order}`;
}

/** The name of the views of a node type. */
export function viewName(type: string): string {
  return `view:${type}`;
}

function takeApart(model: CompiledModel): Definitions {
  const projections = new Map<string, Defined<KeyedDefinition>>();
  const add = (name: string, definition: KeyedDefinition): unknown => projections.set(name, defined(name, definition));
  const views = new Map<string, Defined<ViewDefinition>>();
  for (const node of model.nodes.values()) {
    views.set(node.type, defined(viewName(node.type), viewDefinition(model, node)));
    // Where items lie belongs to a generation, not to its definition.
    for (const { inForce: _, ...search } of node.searches.values()) {
      add(searchName(node.type, search.name), { kind: 'search', type: node.type, search });
    }
  }
  for (const edge of model.edges.values()) {
    const typing = typingOf(edge);
    const { type, inbound } = edge;
    const degree = edge.count !== undefined;
    const orders = [...(inbound?.orders.values() ?? [])].map(orderSettings);
    const shared = orders.filter(({ isNamed }) => !isNamed);
    const rest = settingsOf(model, edge);
    if (shared.length > 0 || degree) {
      const settings = shared.length > 0 ? rest : {};
      add(familyName(type), { kind: 'inbound', edge: typing, degree, orders: shared, ...settings });
    }
    for (const order of orders) {
      if (!order.isNamed || rest.settings === undefined) continue;
      const settings = { settings: rest.settings, owners: rest.owners };
      add(orderName(type, order.name), { kind: 'order', edge: typing, order, ...settings });
    }
  }
  return { projections, views };
}

function defined<D extends Definition>(name: string, definition: D): Defined<D> {
  const data = dataOf(definition)!;
  checkKnownOptions(name, definition.kind, data);
  return {
    name,
    definition,
    data,
    fingerprint: fingerprintOf(data),
    meaning: meaningFingerprint(data),
    code: derivesOf(definition),
  };
}

/** A fingerprint of what results depend on. */
export function meaningFingerprint(data: Data): string {
  return fingerprintOf(meaningOf(data));
}

/** A fingerprint of what the order of a search's hits means, and of what its partitions are named by. */
export function meaningOfSearch(search: SearchSettings): string {
  return meaningOnce(search, () => orderingOptions(search, SEARCH_OPTION_EFFECTS));
}

/** A fingerprint of what an order of an edge type means, and of what its partitions are named by. */
export function meaningOfOrder({ type, inbound }: EdgeModel, stored: InboundOrder): string {
  return meaningOnce(stored, () => ({
    type,
    ...orderingOptions(stored, ORDER_OPTION_EFFECTS),
    ...(inbound && orderingOptions(inbound, INBOUND_OPTION_EFFECTS)),
  }));
}

function orderingOptions<Settings extends object>(
  settings: Settings,
  effects: Readonly<Partial<Record<keyof Settings, OptionEffect>>>,
): Partial<Settings> {
  const names = (Object.keys(effects) as (keyof Settings)[]).filter((name) => effects[name] === 'order');
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as Partial<Settings>;
}

const meanings = new WeakMap<object, string>();

/** Computed once for each part of a model: every page of a read asks for it. */
function meaningOnce(part: object, ordering: () => object): string {
  const meaning = meanings.get(part) ?? fingerprintOf(dataOf(ordering())!);
  meanings.set(part, meaning);
  return meaning;
}

const SPREADING: ReadonlySet<string> = new Set(
  [...Object.entries(SEARCH_OPTION_EFFECTS), ...Object.entries(INBOUND_OPTION_EFFECTS)].flatMap(([name, effect]) =>
    effect === 'spread' ? [name] : [],
  ),
);

/** What results depend on: not where in the index an item lies, unless that decides which questions can be asked. */
function meaningOf(data: Data): Data {
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return data;
  const entries = Object.entries(data).flatMap(([name, entry]): [string, Data][] => {
    // Where a value has a partition of its own, no range can be asked for.
    if (SPREADING.has(name)) return name === 'shards' && entry === 'value' ? [[name, entry]] : [];
    return [[name, name === 'search' || name === 'settings' ? meaningOf(entry) : entry]];
  });
  return Object.fromEntries(entries);
}

function orderSettings({ places: _, ...order }: InboundOrder): OrderSettings {
  return order;
}

function typingOf({ type, from, to, keys }: EdgeModel): EdgeTyping {
  return { type, from, to, keys };
}

function settingsOf(
  { nodes }: CompiledModel,
  { inbound, to }: EdgeModel,
): { settings?: InboundSettings; owners?: Owners } {
  if (inbound === undefined) return {};
  const { orders: _orders, items: _items, ...settings } = inbound;
  if (!settings.includeOwner) return { settings };
  const owners = [...to].flatMap((type): [string, Projection][] => {
    const node = nodes.get(type);
    return node === undefined ? [] : [[type, node.view]];
  });
  return { settings, owners: new Map(owners) };
}

function viewDefinition({ edges }: CompiledModel, { type, view, viewBudgetBytes }: NodeModel): ViewDefinition {
  const listed = [...edges.values()].filter(({ from, labels }) => from.has(type) && labels !== undefined);
  const parts = listed
    .map((edge) => ({ ...typingOf(edge), labels: edge.labels, copy: edge.copy }))
    .sort((left, right) => (left.type < right.type ? -1 : 1));
  return { kind: 'view', type, view, viewBudgetBytes, edges: parts };
}

const SETTINGS = Object.keys(INBOUND_OPTION_EFFECTS);
const ORDER = Object.keys(ORDER_OPTION_EFFECTS);
const TYPING = ['type', 'from', 'to', 'keys'];
/** The options that this software maintains, by the part of a definition that they stand in. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  search: ['kind', 'type', 'search'],
  'search/search': Object.keys(SEARCH_OPTION_EFFECTS),
  inbound: ['kind', 'edge', 'degree', 'orders', 'settings', 'owners'],
  'inbound/edge': TYPING,
  'inbound/orders': ORDER,
  'inbound/settings': SETTINGS,
  order: ['kind', 'edge', 'order', 'settings', 'owners'],
  'order/edge': TYPING,
  'order/order': ORDER,
  'order/settings': SETTINGS,
  view: ['kind', 'type', 'view', 'viewBudgetBytes', 'edges'],
  'view/edges': [...TYPING, 'labels', 'copy'],
};
/** The orders that this software can derive. */
const ORDERS: ReadonlySet<string> = new Set(['attribute', 'rank', 'derive', 'path', 'source', 'parts']);

/**
 * Throws `unknown-definition` where a definition has a part that this software does not maintain: it comes from a newer one, and
 * items made without that part would be wrong.
 */
export function checkKnownOptions(name: string, kind: string, data: Data): void {
  const options = OPTIONS[kind];
  if (options === undefined) throw unknownDefinition(name, kind);
  for (const [option, entry] of entriesOf(data)) {
    if (!options.includes(option)) throw unknownDefinition(name, option);
    const inner = OPTIONS[`${kind}/${option}`];
    for (const part of inner === undefined ? [] : Array.isArray(entry) ? entry : [entry]) {
      for (const [innerOption, value] of entriesOf(part)) {
        if (!inner!.includes(innerOption)) throw unknownDefinition(name, innerOption);
        const order = innerOption === 'order' ? Object(value) : undefined;
        if (order !== undefined && !ORDERS.has(String(order.kind))) throw unknownDefinition(name, String(order.kind));
      }
    }
  }
}

function entriesOf(data: Data): [string, Data][] {
  return data === null || typeof data !== 'object' || Array.isArray(data) ? [] : Object.entries(data);
}

function unknownDefinition(name: string, option: string): EdgeloomError {
  return new EdgeloomError(
    'unknown-definition',
    `The registry's definition of ${name} has ${JSON.stringify(option)}, which this version of Edgeloom does not know.`,
    'Deploy the version of Edgeloom that the table was last migrated with.',
  );
}
