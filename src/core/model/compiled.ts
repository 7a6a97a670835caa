import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Item } from '../items/attribute-value.ts';
import { INDEX_KEYS, INDEX_NAMES } from '../items/derived-item.ts';
import type { InboundSettings, OrderSettings, PartSettings, SearchSettings } from './options/option-tables.ts';
import type { DeriveModel, IndexName, Projection, TotalSettings } from './options/settings.ts';
import type { EdgeItemPlaces, OrderPlaces } from './projection/index-places.ts';
import type { CounterPlaces, CountPlaces, PartPlaces, SearchPlaces, TotalPlaces } from './projection/places.ts';

export type { InboundSettings, OrderSettings, PartSettings, SearchSettings } from './options/option-tables.ts';
export type {
  AttributeOrder,
  Compute,
  DeriveModel,
  EdgeOrderModel,
  IndexName,
  OrderModel,
  OrderPart,
  Projection,
  SearchOrder,
  TotalPart,
  TotalSettings,
} from './options/settings.ts';

/** A checked and compiled model, without the types that it declares. */
export interface CompiledModel {
  readonly table: TableNames;
  /** @internal */
  readonly nodes: ReadonlyMap<string, NodeModel>;
  /** @internal */
  readonly edges: ReadonlyMap<string, EdgeModel>;
  /** The indexes that the model uses. */
  readonly indexes: readonly IndexName[];
  /**
   * Eight hex digits that change with the model; for a model made from the registry, `@` and the registry's version.
   * Derived items store it for information only.
   */
  readonly fingerprint: string;
  /** The shapes of views by node type, in a model made from the registry. @internal */
  readonly shapes?: ReadonlyMap<string, ViewShape>;
  /** Models of other generations of projections, whose items are also maintained. They have no views. @internal */
  readonly further?: readonly CompiledModel[];
  /**
   * How a check treats each derived item, in a model made from the registry. If absent, a check compares all items.
   * @internal
   */
  readonly standings?: Standings;
  /** The changes that the feed reports. Default: all. @internal */
  readonly feed?: FeedNames;
  /** Types whose base items are made from items of another table. @internal */
  readonly mirrored?: ReadonlySet<string>;
  /** Only carries types; absent at run time. */
  // biome-ignore lint/suspicious/noExplicitAny: a model that is read at run time declares no types
  readonly definition?: { nodes: any; edges: any };
}

export interface Standings {
  of(source: string, sortKey: string, item: Item): Standing;
  readonly changing: readonly ChangingPart[];
  readonly ready: ReadonlySet<string>;
}

export interface Standing {
  /**
   * `compared`: readers use the item; `changing`: its projection is being built or removed, and a check leaves the item
   * alone; `retired`, `misplaced`: nothing maintains the item, and a repair deletes it; `unregistered`: a check only
   * reports the item; `left`: the item holds nothing, or a later model may use it.
   */
  kind: 'compared' | 'changing' | 'retired' | 'unregistered' | 'misplaced' | 'left';
  /** The projection, such as `search:USER.name@2` or `view:GOAL@3`; empty if neither key nor content shows it. */
  name: string;
}

export interface ChangingPart {
  name: string;
  reason: string;
  /** The time since which projectors maintain the projection, in milliseconds since 1970 by DynamoDB's clock. */
  sinceMs?: number | undefined;
}

export function oncePer<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = compute(key);
      known.set(key, value);
    }
    return value;
  };
}

export function layersOf(graph: CompiledModel): readonly CompiledModel[] {
  return graph.further === undefined ? [graph] : [graph, ...graph.further];
}

export interface ViewShape {
  /** The value of the attribute `model` in views of this shape. */
  stamp: string;
  /** True once every node has a view of this shape. Until then, a missing view has to be rebuilt. */
  ready: boolean;
}

/** A generation of a projection that projectors maintain. */
export interface InForce<Places> {
  places: Places;
  /**
   * True if a newer generation replaces this one. If only this generation can't derive an item, the item is left out
   * without a fault.
   */
  isSuperseded?: boolean;
}

export type MaybeSuperseded = Pick<InForce<unknown>, 'isSuperseded'>;

/** The names of the table, its attributes and indexes. */
export interface TableNames {
  name: string;
  partitionKey: string;
  sortKey: string;
  ttl: string;
  /** The indexes over which an edge's first orders and a node's searches are spread. */
  indexes: readonly IndexName[];
  indexNames: Readonly<Record<IndexName, string>>;
  /** The key attributes of the indexes, unless they have the usual names. */
  indexKeys?: IndexKeys;
  /** Native indexes that the model names. Each of them holds all attributes. */
  nativeNames?: readonly { name: string; partition: string; sort: string }[];
}

/** The key attributes of each index. */
export type IndexKeys = Readonly<Record<IndexName, { readonly partition: string; readonly sort: string }>>;

export function indexKeysOf({ indexKeys = INDEX_KEYS }: Pick<TableNames, 'indexKeys'>): IndexKeys {
  return indexKeys;
}

export function hasUsualIndexNames({ indexes, indexNames, indexKeys }: TableNames): boolean {
  return indexKeys === undefined && indexes.every((index) => indexNames[index] === index);
}

export function indexesInUse(nodes: Iterable<NodeModel>, edges: Iterable<EdgeModel>): IndexName[] {
  const used = new Set<IndexName>(['gsi0']);
  for (const { searches } of nodes) for (const { index } of derivedSearches(searches)) used.add(index);
  for (const edge of edges)
    for (const { orders } of listsOf(edge)) for (const { index } of orders.values()) used.add(index);
  return INDEX_NAMES.filter((index) => used.has(index));
}

export interface NodeModel {
  type: string;
  fields?: StandardSchemaV1;
  view: Projection;
  hasView: boolean;
  /** True if the model declares no `view`, so that reads show the node itself. */
  isShownItself?: true;
  viewBudgetBytes?: number;
  /** Only the writer and the import check these limits. */
  maxEntries: ReadonlyMap<string, number>;
  versionAttribute?: string;
  searches: ReadonlyMap<string, SearchModel>;
  parts: ReadonlyMap<string, PartModel>;
  /** Edge types that list the node with its incoming edges. Empty if reads show the node itself. */
  includedBy: readonly EdgeModel[];
  deletedWhen?: string;
  expires?: string;
}

export interface PartModel {
  name: string;
  fields?: StandardSchemaV1;
  /** Undefined if the model is made from a registry that keeps no view of the part. */
  view?: PartView;
}

export interface PartView extends PartSettings {
  inForce: InForce<PartPlaces>;
}

export interface LabelModel {
  name: string;
  from: { kind: 'attribute'; attribute: string } | DeriveModel;
}

export interface EdgeModel {
  type: string;
  fields?: StandardSchemaV1;
  from: ReadonlySet<string>;
  to: ReadonlySet<string>;
  /** Undefined if edge sets don't list the type. */
  labels?: readonly LabelModel[];
  inbound?: InboundModel;
  /**
   * Counts the index items that the first orders share. Edges without such an order get the item just for the count.
   */
  count?: CountModel<CountPlaces>;
  /** Counts the edges that enter a node, and adds up their values. */
  incoming?: CountModel<TotalPlaces>;
  /** The list of edges by the time at which they end: see `dueList`. */
  due?: InboundModel;
  keys: 'plain' | 'hashed';
  tenantSeparator?: string;
  /** Attributes of the target that the source's view copies. */
  copy?: readonly string[];
  deletedWhen?: string;
  expires?: string;
}

export interface CountModel<Places extends CounterPlaces = CounterPlaces> extends InForce<Places> {
  totals?: TotalSettings;
}

export interface InboundOrder extends OrderSettings {
  places: OrderPlaces;
}

export interface InboundItem {
  /** Undefined for the item that the first orders share. */
  orderName?: string;
  orders: readonly InboundOrder[];
  inForce: InForce<EdgeItemPlaces>;
}

export interface InboundModel extends InboundSettings {
  /** Orders that share an item come first. */
  orders: ReadonlyMap<string, InboundOrder>;
  items: readonly InboundItem[];
  /** True if DynamoDB maintains the orders, so that no index items are derived. */
  native: boolean;
}

export function listsOf({ inbound, due }: Pick<EdgeModel, 'inbound' | 'due'>): readonly InboundModel[] {
  return [inbound, due].filter((list) => list !== undefined).filter(({ native }) => !native);
}

export function derivedSearches(searches: ReadonlyMap<string, SearchModel>): SearchModel[] {
  return [...searches.values()].filter(({ native }) => !native);
}

export interface SearchModel extends SearchSettings {
  index: IndexName;
  /** The first search that shares the item, named in the item's sort key. */
  itemOf: string;
  inForce: InForce<SearchPlaces>;
  /** True if DynamoDB maintains the search, so that no search items are derived. */
  native: boolean;
}

export type OfGraph<Options> = Options & { readonly graph: CompiledModel };

/** @internal */
export function listedEdges({ edges }: Pick<CompiledModel, 'edges'>, type: string): EdgeModel[] {
  return [...edges.values()].filter(({ from, labels }) => from.has(type) && labels !== undefined);
}

export function heldAttributes({ project, projectSource = [] }: InboundModel): Projection {
  if (project.kind === 'ALL' || projectSource.length === 0) return project;
  return { kind: 'LIST', attributes: [...(project.kind === 'LIST' ? project.attributes : []), ...projectSource] };
}

/** The changes that the feed reports. A kind that is left out reports none. */
export interface FeedNames<NodeType extends string = string, EdgeType extends string = string> {
  /** Node types whose views are reported. */
  readonly views?: readonly NodeType[];
  /** Edge types with all their orders (`TICKET`) or one (`TICKET.byPriority`), and node types with `list: true`. */
  readonly lists?: readonly (NodeType | EdgeType | `${EdgeType}.${string}`)[];
  /** Node types with all their searches (`USER`), or single searches (`USER.name`). */
  readonly searches?: readonly (NodeType | `${NodeType}.${string}`)[];
  /** Edge types whose counts are reported. */
  readonly counts?: readonly EdgeType[];
}

export const FEED_KINDS = ['views', 'lists', 'searches', 'counts'] as const satisfies readonly (keyof FeedNames)[];
