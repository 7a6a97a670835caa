import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Item } from '../items/attribute-value.ts';
import { INDEX_KEYS, INDEX_NAMES } from '../items/derived-item.ts';
import type { FeedNames } from './feed-names.ts';
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
  PartitionModel,
  Projection,
  SearchOrder,
  SourceOrder,
  TotalPart,
  TotalSettings,
} from './options/settings.ts';

/** A checked, compiled model without the declared types. */
export interface CompiledModel {
  readonly table: TableNames;
  /** @internal */
  readonly nodes: ReadonlyMap<string, NodeModel>;
  /** @internal */
  readonly edges: ReadonlyMap<string, EdgeModel>;
  /** The indexes that the model needs. */
  readonly indexes: readonly IndexName[];
  /**
   * Eight hex digits that change with the model, stamped on derived items for information. Made from the registry: `@`
   * and the registry's version.
   */
  readonly fingerprint: string;
  /** By node type, in a model made from the registry. @internal */
  readonly shapes?: ReadonlyMap<string, ViewShape>;
  /** Models whose index items are maintained as well, in generations that this one lacks. @internal */
  readonly further?: readonly CompiledModel[];
  /** How a check treats derived items, in a model made from the registry; absent: compares all. @internal */
  readonly standings?: Standings;
  /** Absent: everything. @internal */
  readonly feed?: FeedNames;
  /** Types whose base items are made from another table. @internal */
  readonly mirrored?: ReadonlySet<string>;
  /** For types only: absent at run time. */
  // biome-ignore lint/suspicious/noExplicitAny: a model that is read at run time declares no types
  readonly definition?: { nodes: any; edges: any };
}

export interface Standings {
  of(source: string, sortKey: string, item: Item): Standing;
  /** Projections being built or removed. */
  readonly changing: readonly ChangingPart[];
  readonly ready: ReadonlySet<string>;
}

export interface Standing {
  /**
   * `compared`: readers use it; `changing`: being built or removed, left alone; `retired` and `misplaced`: nothing
   * maintains it, removed; `unregistered`: reported, left alone; `left`: it holds nothing, or a later model may use it.
   */
  kind: 'compared' | 'changing' | 'retired' | 'unregistered' | 'misplaced' | 'left';
  /** `search:USER.name@2`, `view:GOAL@3`; empty if key and content don't tell. */
  name: string;
}

export interface ChangingPart {
  name: string;
  reason: string;
  /** Since when writers maintain it, in milliseconds since 1970 by DynamoDB's clock. */
  sinceMs?: number | undefined;
}

export function layersOf(graph: CompiledModel): readonly CompiledModel[] {
  return graph.further === undefined ? [graph] : [graph, ...graph.further];
}

export interface ViewShape {
  /** In a view's attribute `model`. */
  stamp: string;
  /** Each node has a view of this shape, so a missing view means nothing. */
  ready: boolean;
}

/** A generation of a projection, as writers maintain it. */
export interface InForce<Places> {
  places: Places;
  /** A newer generation decides what is right: an item that only this one can't derive is left out without a fault. */
  isSuperseded?: boolean;
}

/** The names of the table, its attributes and indexes. */
export interface TableNames {
  name: string;
  partitionKey: string;
  sortKey: string;
  ttl: string;
  /** Over which an edge's first orders and a node's searches are spread. */
  indexes: readonly IndexName[];
  indexNames: Readonly<Record<IndexName, string>>;
  /** Absent: the usual names. */
  indexKeys?: IndexKeys;
  /** Named by the model; each holds all attributes. */
  nativeNames?: readonly { name: string; partition: string; sort: string }[];
}

/** The key attributes of the indexes. */
export type IndexKeys = Readonly<Record<IndexName, { readonly partition: string; readonly sort: string }>>;

export function indexKeysOf({ indexKeys = INDEX_KEYS }: Pick<TableNames, 'indexKeys'>): IndexKeys {
  return indexKeys;
}

export function hasUsualIndexNames({ indexes, indexNames, indexKeys }: TableNames): boolean {
  return indexKeys === undefined && indexes.every((index) => indexNames[index] === index);
}

export function indexesInUse({
  nodes,
  edges,
}: {
  nodes: Iterable<NodeModel>;
  edges: Iterable<EdgeModel>;
}): IndexName[] {
  const used = new Set<IndexName>(['gsi0']);
  for (const { searches } of nodes) for (const { index } of derivedSearches(searches)) used.add(index);
  for (const edge of edges)
    for (const { orders } of listsOf(edge)) for (const { index } of orders.values()) used.add(index);
  return INDEX_NAMES.filter((index) => used.has(index));
}

/** A compiled node type. */
export interface NodeModel {
  type: string;
  fields?: StandardSchemaV1;
  view: Projection;
  hasView: boolean;
  /** The model declares no `view`: reads show the node itself. */
  isShownItself?: true;
  /** Undefined: the default. */
  viewBudgetBytes?: number;
  /** Checked by writer and import only. */
  maxEntries: ReadonlyMap<string, number>;
  /** The writer increments it. */
  versionAttribute?: string;
  /** Includes searches by parts' attributes. */
  searches: ReadonlyMap<string, SearchModel>;
  parts: ReadonlyMap<string, PartModel>;
  /** Edge types with the node among its edges; none if the node itself is shown. */
  includedBy: readonly EdgeModel[];
  deletedWhen?: string;
  expires?: string;
}

/** A compiled part of a node type. */
export interface PartModel {
  name: string;
  fields?: StandardSchemaV1;
  /** Undefined in a model made from the registry that keeps none. */
  view?: PartView;
}

/** The view of a part. */
export interface PartView extends PartSettings {
  inForce: InForce<PartPlaces>;
}

/** A label of an edge-set element. */
export interface LabelModel {
  name: string;
  from: { kind: 'attribute'; attribute: string } | DeriveModel;
}

/** A compiled edge type. */
export interface EdgeModel {
  type: string;
  fields?: StandardSchemaV1;
  from: ReadonlySet<string>;
  to: ReadonlySet<string>;
  /** Undefined: not in the edge set. */
  labels?: readonly LabelModel[];
  inbound?: InboundModel;
  /** Counts the index items shared by the first orders, which edges get for the count if need be. */
  count?: CountModel<CountPlaces>;
  /** Counts edges that enter a node. */
  incoming?: CountModel<TotalPlaces>;
  /** See `dueList`. */
  due?: InboundModel;
  keys: 'plain' | 'hashed';
  /** Undefined: no tenants. */
  tenantSeparator?: string;
  /** Target attributes copied into the source's view. */
  copy?: readonly string[];
  deletedWhen?: string;
  expires?: string;
}

/** A count or total of edges. */
export interface CountModel<Places extends CounterPlaces = CounterPlaces> extends InForce<Places> {
  totals?: TotalSettings;
}

/** One order of an edge type. */
export interface InboundOrder extends OrderSettings {
  places: OrderPlaces;
}

/** An index item of an edge, with the orders that use it. */
export interface InboundItem {
  /** Undefined for the item shared by the first orders. */
  orderName?: string;
  orders: readonly InboundOrder[];
  inForce: InForce<EdgeItemPlaces>;
}

/** How an edge type's index items are made. */
export interface InboundModel extends InboundSettings {
  /** Orders that share an item come first. */
  orders: ReadonlyMap<string, InboundOrder>;
  items: readonly InboundItem[];
  /** DynamoDB maintains the orders: no index items are derived. */
  native: boolean;
}

export function listsOf({ inbound, due }: Pick<EdgeModel, 'inbound' | 'due'>): readonly InboundModel[] {
  return [inbound, due].filter((list) => list !== undefined).filter(({ native }) => !native);
}

export function derivedSearches(searches: ReadonlyMap<string, SearchModel>): SearchModel[] {
  return [...searches.values()].filter(({ native }) => !native);
}

/** A search of a node type. */
export interface SearchModel extends SearchSettings {
  index: IndexName;
  /** The first search that shares its item, named in the item's sort key. */
  itemOf: string;
  inForce: InForce<SearchPlaces>;
  /** DynamoDB maintains the search: no search items are derived. */
  native: boolean;
}

/** Once `f(graph, options)` has checked the options. */
export type OfGraph<Options> = Options & { readonly graph: CompiledModel };
