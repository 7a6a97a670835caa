import {
  type CompiledModel,
  derivedSearches,
  type EdgeModel,
  type InboundModel,
  type InboundOrder,
  type InboundSettings,
  listedEdges,
  type NodeModel,
  type OrderModel,
  type OrderSettings,
  oncePer,
  type PartSettings,
  type Projection,
  type SearchSettings,
  type TotalSettings,
} from '../core/model/compiled.ts';
import { isJoinedEdge, isJoinedItem } from '../core/model/joined.ts';
import { nativeIndexes } from '../core/model/native-indexes.ts';
import { NODE_LIST } from '../core/model/node-list.ts';
import {
  INBOUND_OPTIONS,
  type OptionTable,
  ORDER_OPTIONS,
  PART_OPTIONS,
  SEARCH_OPTIONS,
  settingNames,
  settingsIn,
} from '../core/model/options/option-tables.ts';
import { packsOf } from '../core/model/projection/search-pack.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { type Data, dataOf, derivesOf, fingerprintOf } from './data.ts';

export type EdgeTyping = Pick<EdgeModel, (typeof TYPING)[number]>;
export type Owners = ReadonlyMap<string, Projection>;

export const ABSENCE = ['deletedWhen', 'expires'] as const;

type OfNodes = { [Option in (typeof ABSENCE)[number]]?: ReadonlyMap<string, string> };

export interface SearchDefinition extends OfNodes {
  kind: 'search';
  type: string;
  search: SearchSettings;
  /** The other searches in the index item of `search`. */
  packed?: readonly SearchSettings[];
}

export interface PartDefinition {
  kind: 'part';
  type: string;
  part: PartSettings;
}

export interface FamilyDefinition extends OfNodes {
  kind: 'inbound';
  edge: EdgeTyping;
  degree: boolean;
  outgoing?: TotalSettings;
  incoming?: TotalSettings;
  orders: readonly OrderSettings[];
  settings?: InboundSettings;
  owners?: Owners;
}

export interface OrderDefinition extends OfNodes {
  kind: 'order';
  edge: EdgeTyping;
  order: OrderSettings;
  settings: InboundSettings;
  owners?: Owners;
}

export interface IndexProjection extends OfNodes {
  kind: 'index';
  name: string;
  partition: string;
  sort: string;
  /** Besides the keys. Undefined: all. */
  attributes?: readonly string[];
  /** The model names the index. No migration deletes such an index, because the table may have had it before. */
  isNamed?: boolean;
}

export interface ViewDefinition extends OfNodes {
  kind: 'view';
  type: string;
  view: Projection;
  viewBudgetBytes?: number;
  edges: readonly (EdgeTyping & Pick<EdgeModel, 'labels' | 'copy'>)[];
}

export type Definition =
  | SearchDefinition
  | PartDefinition
  | FamilyDefinition
  | OrderDefinition
  | IndexProjection
  | ViewDefinition;
export type DefinitionKind = Definition['kind'];
export type ProjectionName<Kind extends DefinitionKind = DefinitionKind> = string & { readonly definedAs?: Kind };

export interface Defined<D extends Definition = Definition> {
  name: string;
  definition: D;
  data: Data;
  fingerprint: string;
  /**
   * Fingerprints that ignore how items are spread over index partitions. A search has one for itself and one for each
   * of `packed`, in the order of `INDEX_NAMES`; other definitions have one.
   */
  meanings: readonly string[];
  code: ReadonlyMap<string, object>;
}

export type Definitions = ReadonlyMap<string, Defined>;

export const definitionsOf = oncePer(extractDefinitions);

export function searchName(type: string, search: string): ProjectionName<'search'> {
  return search === NODE_LIST ? `list:${type}` : `search:${type}.${search}`;
}

export function partName(type: string, part: string): ProjectionName<'part'> {
  return `part:${type}.${part}`;
}

export function inboundName(edgeType: string): ProjectionName<'inbound'> {
  return `inbound:${edgeType}`;
}

export function orderName(edgeType: string, order: string): ProjectionName<'order'> {
  return `order:${edgeType}.${order}`;
}

export function indexName(index: string): ProjectionName<'index'> {
  return `${INDEX}${index}`;
}

export function indexNamedIn(projection: string): string | undefined {
  return projection.startsWith(INDEX) ? projection.slice(INDEX.length) : undefined;
}

const INDEX = 'index:';

export function isViewName(name: string): boolean {
  return name.startsWith(VIEW);
}

export function typeOfView(name: string): string | undefined {
  return isViewName(name) ? name.slice(VIEW.length) : undefined;
}

const VIEW = 'view:';

export function viewName(type: string): ProjectionName<'view'> {
  return `${VIEW}${type}`;
}

type NamedDefinition = readonly [name: string, definition: Definition];

function extractDefinitions(model: CompiledModel): Definitions {
  const nodes = [...model.nodes.values()];
  const named: NamedDefinition[] = [
    ...nodes.flatMap(nodeDefinitions),
    ...[...model.edges.values()].flatMap((edge) => edgeDefinitions(model, edge)),
    ...indexProjections(model).map((index) => [indexName(index.name), index] as const),
    ...nodes
      .filter(({ hasView }) => hasView)
      .map((node) => [viewName(node.type), viewDefinition(model, node)] as const),
  ];
  return new Map(named.map(([name, one]) => [name, withFingerprints(name, withAbsence(model, one))]));
}

/** Only settings belong to a definition; the places of items belong to a generation. */
function nodeDefinitions({ type, searches, parts }: NodeModel): NamedDefinition[] {
  const ofSearches = packsOf(derivedSearches(searches)).map((shared): NamedDefinition => {
    const [search, ...packed] = shared.map((one) => settingsIn(SEARCH_OPTIONS, one));
    return [
      searchName(type, search!.name),
      { kind: 'search', type, search: search!, ...(packed.length > 0 && { packed }) },
    ];
  });
  const ofParts = [...parts.values()].flatMap(({ name, view }): NamedDefinition[] =>
    view === undefined ? [] : [[partName(type, name), { kind: 'part', type, part: settingsIn(PART_OPTIONS, view) }]],
  );
  return [...ofSearches, ...ofParts];
}

function edgeDefinitions(model: CompiledModel, edge: EdgeModel): NamedDefinition[] {
  const { type, count, incoming, due } = edge;
  const typing = typingOf(edge);
  const inbound = edge.inbound?.native === true ? undefined : edge.inbound;
  const degree = count !== undefined;
  const orders = [...(inbound?.orders.values() ?? [])].map((order) => settingsIn(ORDER_OPTIONS, order));
  const shared = orders.filter(({ isNamed }) => !isNamed);
  const { settings, owners } = settingsOf(model, edge, inbound);
  const definitions: NamedDefinition[] = [];
  if (shared.length > 0 || degree || incoming !== undefined) {
    const totals = { outgoing: count?.totals, incoming: incoming?.totals };
    const ofOrders = shared.length > 0 ? { settings, owners } : {};
    definitions.push([
      inboundName(type),
      { kind: 'inbound', edge: typing, degree, ...totals, orders: shared, ...ofOrders },
    ]);
  }
  for (const order of orders) {
    if (!order.isNamed || settings === undefined) continue;
    definitions.push([orderName(type, order.name), { kind: 'order', edge: typing, order, settings, owners }]);
  }
  for (const dueOrder of due?.orders.values() ?? []) {
    const order = settingsIn(ORDER_OPTIONS, dueOrder);
    const ofDue = settingsIn(INBOUND_OPTIONS, due!);
    definitions.push([orderName(type, order.name), { kind: 'order', edge: typing, order, settings: ofDue }]);
  }
  return definitions;
}

function indexProjections(model: CompiledModel): IndexProjection[] {
  return nativeIndexes(model).map(({ name, partition, sort, attributes }) => {
    const isNamed = model.table.nativeNames?.some((named) => named.name === name) === true;
    return { kind: 'index', name, partition, sort, ...(attributes && { attributes }), ...(isNamed && { isNamed }) };
  });
}

export function nodesDecidingOf(definition: Definition): string[] {
  switch (definition.kind) {
    case 'search':
      return definition.search.part === undefined ? [definition.type] : [];
    case 'part':
    case 'index':
      return [];
    case 'view': {
      const copied = definition.edges.flatMap(({ copy, to }) => (copy === undefined ? [] : [...to]));
      return [definition.type, ...copied];
    }
    default: {
      const { edge, owners } = definition;
      return [...(hasJoinedItems(definition) ? edge.from : []), ...(owners?.keys() ?? [])];
    }
  }
}

export function hasJoinedItems(definition: FamilyDefinition | OrderDefinition): boolean {
  const { settings } = definition;
  const orders = definition.kind === 'order' ? [definition.order] : definition.orders;
  return settings !== undefined && isJoinedItem(settings, { orders });
}

function withAbsence<D extends Definition>({ nodes }: CompiledModel, definition: D): D {
  const types = nodesDecidingOf(definition);
  const rules = ABSENCE.map((option) => {
    const attributes = types.flatMap((type): [string, string][] => {
      const attribute = nodes.get(type)?.[option];
      return attribute === undefined ? [] : [[type, attribute]];
    });
    return attributes.length === 0 ? {} : { [option]: new Map(attributes) };
  });
  return Object.assign({}, definition, ...rules);
}

function withFingerprints<D extends Definition>(name: string, definition: D): Defined<D> {
  const data = dataOf(definition)!;
  checkKnownOptions(name, definition.kind, data);
  return {
    name,
    definition,
    data,
    fingerprint: fingerprintOf(data),
    meanings: meaningsOf(data),
    code: derivesOf(definition),
  };
}

/** A search's meaning doesn't depend on the searches that share its index item. */
export function meaningsOf(data: Data): string[] {
  const { packed, ...rest } = data as { search?: Data; packed?: readonly Data[] };
  const each = packed === undefined ? [rest] : [rest.search!, ...packed].map((search) => ({ ...rest, search }));
  return each.map((one) => fingerprintOf(withoutSpread(one)));
}

export function searchesIn(data: Data | undefined): string[] {
  const { search, packed = [] } = Object(data) as { search?: SearchSettings; packed?: readonly SearchSettings[] };
  return search === undefined ? [] : [search, ...packed].map(({ indexPartition }) => indexPartition);
}

/** A cursor is outdated once this fingerprint has changed. @internal */
export function meaningOfSearch(model: CompiledModel, search: SearchSettings & { native?: boolean }): string {
  const type = search.indexPartition.slice(0, search.indexPartition.indexOf('.'));
  const node = search.part === undefined ? model.nodes.get(type) : undefined;
  return cachedMeaning(search, () => ({
    ...settingsIn(SEARCH_OPTIONS, search, 'order'),
    ...(search.native === true && { native: true }),
    ...{ deletedWhen: node?.deletedWhen, expires: node?.expires },
  }));
}

/** A cursor is outdated once this fingerprint has changed. @internal */
export function meaningOfOrder(model: CompiledModel, edge: EdgeModel, stored: InboundOrder): string {
  const { type, inbound, deletedWhen, expires } = edge;
  const sources = isJoinedEdge(edge) ? [...edge.from].flatMap((from) => model.nodes.get(from)?.deletedWhen ?? []) : [];
  return cachedMeaning(stored, () => ({
    ...{ type, deletedWhen, expires },
    ...(sources.length > 0 && { sources }),
    ...settingsIn(ORDER_OPTIONS, stored, 'order'),
    ...(inbound && settingsIn(INBOUND_OPTIONS, inbound, 'order')),
    // rule: cursor-of-a-native-order-is-of-no-other
    ...(inbound?.native === true && { native: true }),
  }));
}

const meanings = new WeakMap<object, string>();

function cachedMeaning(part: object, ordering: () => object): string {
  const meaning = meanings.get(part) ?? fingerprintOf(dataOf(ordering())!);
  meanings.set(part, meaning);
  return meaning;
}

const SPREAD: readonly OptionTable[] = [SEARCH_OPTIONS, INBOUND_OPTIONS];
const SPREADING: ReadonlySet<string> = new Set(SPREAD.flatMap((table) => settingNames(table, 'spread')));

/** Leaves out options that only spread items over index partitions, unless they decide which queries are possible. */
function withoutSpread(data: Data): Data {
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return data;
  const entries = Object.entries(data).flatMap(([name, entry]): [string, Data][] => {
    if (SPREADING.has(name)) return SPREAD.some((table) => table[name]?.resultWith === entry) ? [[name, entry]] : [];
    return [[name, name === 'search' || name === 'settings' ? withoutSpread(entry) : entry]];
  });
  return Object.fromEntries(entries);
}

export function typingOf({ type, from, to, keys, tenantSeparator, deletedWhen, expires }: EdgeModel): EdgeTyping {
  return {
    ...{ type, from, to, keys },
    ...(tenantSeparator !== undefined && { tenantSeparator }),
    ...(deletedWhen !== undefined && { deletedWhen }),
    ...(expires !== undefined && { expires }),
  };
}

function settingsOf(
  { nodes }: CompiledModel,
  { type: edgeType, to }: Pick<EdgeModel, 'type' | 'to'>,
  inbound: InboundModel | undefined,
): { settings?: InboundSettings; owners?: Owners } {
  if (inbound === undefined) return {};
  const settings = settingsIn(INBOUND_OPTIONS, inbound);
  if (!settings.includeTarget) return { settings };
  const owners = [...to].flatMap((type): [string, Projection][] => {
    const node = nodes.get(type);
    return node?.includedBy.some((edge) => edge.type === edgeType) ? [[type, node.view]] : [];
  });
  return { settings, owners: new Map(owners) };
}

function viewDefinition(graph: CompiledModel, { type, view, viewBudgetBytes }: NodeModel): ViewDefinition {
  const parts = listedEdges(graph, type)
    .map((edge) => ({ ...typingOf(edge), labels: edge.labels, copy: edge.copy }))
    .sort((left, right) => (left.type < right.type ? -1 : 1));
  return { kind: 'view', type, view, viewBudgetBytes, edges: parts };
}

const SETTINGS = settingNames(INBOUND_OPTIONS);
const ORDER = settingNames(ORDER_OPTIONS);
const TOTALS = ['sums', 'groups'];
const TYPING = ['type', 'from', 'to', 'keys', 'tenantSeparator', ...ABSENCE] as const;
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  search: ['kind', 'type', 'search', 'packed', ...ABSENCE],
  'search/search': settingNames(SEARCH_OPTIONS),
  'search/packed': settingNames(SEARCH_OPTIONS),
  index: ['kind', 'name', 'partition', 'sort', 'attributes', 'isNamed'],
  part: ['kind', 'type', 'part'],
  'part/part': settingNames(PART_OPTIONS),
  inbound: ['kind', 'edge', 'degree', 'outgoing', 'incoming', 'orders', 'settings', 'owners', ...ABSENCE],
  'inbound/edge': TYPING,
  'inbound/outgoing': TOTALS,
  'inbound/incoming': TOTALS,
  'inbound/orders': ORDER,
  'inbound/settings': SETTINGS,
  order: ['kind', 'edge', 'order', 'settings', 'owners', ...ABSENCE],
  'order/edge': TYPING,
  'order/order': ORDER,
  'order/settings': SETTINGS,
  view: ['kind', 'type', 'view', 'viewBudgetBytes', 'edges', ...ABSENCE],
  'view/edges': [...TYPING, 'labels', 'copy'],
};
const ORDERS: Readonly<Record<OrderModel['kind'], true>> = {
  attribute: true,
  rank: true,
  derive: true,
  path: true,
  source: true,
  parts: true,
};

/**
 * Throws `unknown-registry` for a kind or an option that newer software has written, because items derived without it
 * would be wrong.
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
        if (order !== undefined && !Object.hasOwn(ORDERS, String(order.kind)))
          throw unknownDefinition(name, String(order.kind));
      }
    }
  }
}

function entriesOf(data: Data): [string, Data][] {
  return data === null || typeof data !== 'object' || Array.isArray(data) ? [] : Object.entries(data);
}

function unknownDefinition(name: string, option: string): EdgeloomError {
  return new EdgeloomError(
    'unknown-registry',
    `The registry's definition of ${name} has ${JSON.stringify(option)}, which this version of Edgeloom does not know.`,
    'Deploy the version of Edgeloom that the table was last migrated with.',
  );
}
