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

/** The compiled model: the model file checked, with every default filled in. All other code reads this. */

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
   * Eight hex digits that change with the model; stamped on derived items for information. For a model made from the
   * registry: `@` and the registry's version.
   */
  readonly fingerprint: string;
  /**
   * How views are stamped, by node type, in a model made from the registry. Absent: the table has no registry, and
   * stamps mean nothing.
   * @internal
   */
  readonly shapes?: ReadonlyMap<string, ViewShape>;
  /** Further models whose index items are maintained as well, with generations that this one lacks. @internal */
  readonly further?: readonly CompiledModel[];
  /** How a check treats derived items, in a model made from the registry. Absent: all are compared. @internal */
  readonly standings?: Standings;
  /** What the feed reports. Absent: everything. Shapes no derived items. @internal */
  readonly feed?: FeedNames;
  /** Types whose base items are made from another table; absent: none. Shapes no derived items. @internal */
  readonly mirrored?: ReadonlySet<string>;
  /** The declared types for writer and reader; nothing at run time. Unknown here: any type is accepted. */
  // biome-ignore lint/suspicious/noExplicitAny: a model that is read at run time declares no types
  readonly definition?: { nodes: any; edges: any };
}

/** How a check treats derived items, by the state of their projections in the registry. */
export interface Standings {
  of(source: string, sortKey: string, item: Item): Standing;
  /** Projections that are being built or removed: a change of the model is under way. */
  readonly changing: readonly ChangingPart[];
  /** Names of the generations and shapes that readers use. */
  readonly ready: ReadonlySet<string>;
}

/** How a check treats one derived item. */
export interface Standing {
  /**
   * - `compared`: readers use it, so it has to match the base items;
   * - `changing`: being built or removed; counted, and left alone;
   * - `retired`: nothing maintains it any more, and its id isn't reused: it is removed;
   * - `unregistered`: the registry doesn't know its projection; reported, and left alone;
   * - `misplaced`: in an index partition of a registered projection that doesn't make its key: it is removed;
   * - `left`: it holds nothing, or a later change of the model may use it.
   */
  kind: 'compared' | 'changing' | 'retired' | 'unregistered' | 'misplaced' | 'left';
  /** Its owner: `search:USER.name@2`, `view:GOAL@3`; empty if key and content don't tell. */
  name: string;
}

/** A generation or shape that readers don't use yet, or no longer. */
export interface ChangingPart {
  /** As `name` of `Standing`. */
  name: string;
  /** What is being done with it, for people. */
  reason: string;
  /**
   * Since when writers maintain it, in milliseconds since 1970 by DynamoDB's clock; absent: they don't, or it isn't
   * recorded yet.
   */
  sinceMs?: number | undefined;
}

export function layersOf(graph: CompiledModel): readonly CompiledModel[] {
  return graph.further === undefined ? [graph] : [graph, ...graph.further];
}

/** The current shape of a node type's views. */
export interface ViewShape {
  /** The stamp of this shape in a view's attribute `model`. */
  stamp: string;
  /** True if each node has a view of this shape, so that a missing view means that there is nothing. */
  ready: boolean;
}

/** A generation of a projection, as writers maintain it. */
export interface InForce<Places> {
  places: Places;
  /**
   * True if a newer generation exists and decides what is right: an item that only this one can't derive, such as one
   * with a rank's new label, is left out of it without a fault.
   */
  isSuperseded?: boolean;
}

/** The names of the table, its attributes and indexes. */
export interface TableNames {
  name: string;
  partitionKey: string;
  sortKey: string;
  ttl: string;
  /** Indexes over which an edge's first orders and a node's searches are spread: `gsi0`, `gsi1`, and so on. */
  indexes: readonly IndexName[];
  indexNames: Readonly<Record<IndexName, string>>;
  /** The indexes' key attributes, unless they have the usual names. */
  indexKeys?: IndexKeys;
  /** The native indexes that the model names; absent: none. Each holds all attributes. */
  nativeNames?: readonly { name: string; partition: string; sort: string }[];
}

/** The key attributes of the indexes. */
export type IndexKeys = Readonly<Record<IndexName, { readonly partition: string; readonly sort: string }>>;

export function indexKeysOf({ indexKeys = INDEX_KEYS }: Pick<TableNames, 'indexKeys'>): IndexKeys {
  return indexKeys;
}

/** If so, the names of further indexes are known as well. */
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
  /** The attributes that views show; none without views. */
  view: Projection;
  /** True if nodes of the type have views: for edge sets, for parts, or because the model declares what they show. */
  hasView: boolean;
  /**
   * True if the model declares no `view`: reads show all attributes of the node itself. Absent: reads show the view's.
   */
  isShownItself?: true;
  /** A view's budget in bytes; undefined: the default. */
  viewBudgetBytes?: number;
  /** The most entries in an attribute's list, set or map; only for writer and import. */
  maxEntries: ReadonlyMap<string, number>;
  /** The attribute that the writer increments with every write; only for the writer. */
  versionAttribute?: string;
  /** Searches by name, including those by parts' attributes. */
  searches: ReadonlyMap<string, SearchModel>;
  /** Parts of the node with their own base items, by name. */
  parts: ReadonlyMap<string, PartModel>;
  /** Edge types that enter the node and include it in their index partitions; none if the node itself is shown. */
  includedBy: readonly EdgeModel[];
  /** The attribute that marks a node as deleted; undefined: none. */
  deletedWhen?: string;
  /** The attribute with the time at which a node ends; undefined: none. */
  expires?: string;
}

/** A compiled part of a node type. */
export interface PartModel {
  name: string;
  fields?: StandardSchemaV1;
  /** Undefined in a model made from the registry that keeps no view of the part, or another one. */
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
  /** Labels of the set's element; undefined if the type isn't in the edge set. */
  labels?: readonly LabelModel[];
  inbound?: InboundModel;
  /**
   * The count of each node's edges of this type; undefined: none. It counts the index items shared by the first orders.
   * An edge without such an item gets one for the count.
   */
  count?: CountModel<CountPlaces>;
  /** The total of edges of this type that enter a node; undefined: none. */
  incoming?: CountModel<TotalPlaces>;
  /** The due-list, by which ended edges in a count or total are deleted: see `dueList`. Undefined: none. */
  due?: InboundModel;
  /** How sort keys are made. */
  keys: 'plain' | 'hashed';
  /**
   * The character that ends the tenant in ids: edges join nodes of the same tenant. Undefined: there are no tenants.
   */
  tenantSeparator?: string;
  /** Target attributes copied into the source's view; undefined: none. */
  copy?: readonly string[];
  /** As for a node. */
  deletedWhen?: string;
  /** As for a node. */
  expires?: string;
}

/** A count or total of edges. */
export interface CountModel<Places extends CounterPlaces = CounterPlaces> extends InForce<Places> {
  /** Its sums and groups; undefined: none. */
  totals?: TotalSettings;
}

/** One order of an edge type. */
export interface InboundOrder extends OrderSettings {
  places: OrderPlaces;
}

/** An index item of an edge, with the orders that use it. */
export interface InboundItem {
  /** The name of an order with its own item; undefined for the item shared by the first orders. */
  orderName?: string;
  orders: readonly InboundOrder[];
  inForce: InForce<EdgeItemPlaces>;
}

/** How an edge type's index items are made. */
export interface InboundModel extends InboundSettings {
  /** Orders by name: first those that share an index item, then those with their own, as declared. */
  orders: ReadonlyMap<string, InboundOrder>;
  /** The index items of an edge. */
  items: readonly InboundItem[];
  /** True if DynamoDB maintains the orders, by indexes on the edges: no index items are derived. */
  native: boolean;
}

export function listsOf({ inbound, due }: Pick<EdgeModel, 'inbound' | 'due'>): readonly InboundModel[] {
  return [inbound, due].filter((list) => list !== undefined).filter(({ native }) => !native);
}

/** All but native searches. */
export function derivedSearches(searches: ReadonlyMap<string, SearchModel>): SearchModel[] {
  return [...searches.values()].filter(({ native }) => !native);
}

/** A search of a node type. */
export interface SearchModel extends SearchSettings {
  /** The index that answers it. */
  index: IndexName;
  /** The first search that shares its item (possibly itself), whose name is in the item's sort key. */
  itemOf: string;
  inForce: InForce<SearchPlaces>;
  /** True if DynamoDB maintains the search, by an index on the nodes: no search items are derived. */
  native: boolean;
}

/** What runs pass on once `f(graph, options)` has checked the options. */
export type OfGraph<Options> = Options & { readonly graph: CompiledModel };
