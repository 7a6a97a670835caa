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

/** The compiled model: what the model file says, checked and with every default filled in. All code below the surface reads this. */

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
   * Eight hex digits that change when the model does; stamped on derived items, for information. For a model that was made
   * from the registry: `@` and the registry's version.
   */
  readonly fingerprint: string;
  /**
   * How views are stamped, by node type: of a model that was made from the registry. Absent: the table has none, and
   * stamps say nothing.
   * @internal
   */
  readonly shapes?: ReadonlyMap<string, ViewShape>;
  /** Further models whose index items are maintained with this one's, each with generations that this one lacks. @internal */
  readonly further?: readonly CompiledModel[];
  /** How a check treats derived items, in a model that was made from the registry for it. Absent: all are compared. @internal */
  readonly standings?: Standings;
  /** The things whose changes the feed tells; absent: all. It shapes no derived item. @internal */
  readonly feed?: FeedNames;
  /** The types whose base items are made from another table; absent: none. It shapes no derived item. @internal */
  readonly mirrored?: ReadonlySet<string>;
  /** The declared types, for writer and reader; nothing at run time. Unknown here: any type is taken. */
  // biome-ignore lint/suspicious/noExplicitAny: a model that is read at run time declares no types
  readonly definition?: { nodes: any; edges: any };
}

/** How a check treats derived items, by the registry's states of their projections. */
export interface Standings {
  of(source: string, sortKey: string, item: Item): Standing;
  /** Projections that are neither ready nor gone: a change of the model is under way. */
  readonly changing: readonly ChangingPart[];
  /** The names of the generations and shapes that readers use. */
  readonly ready: ReadonlySet<string>;
}

/** How a check treats one derived item. */
export interface Standing {
  /**
   * - `compared`: readers use it, so it has to be what base items say;
   * - `changing`: it is being built, or taken away; it is counted, and left alone;
   * - `retired`: it belongs to what nothing maintains any more, and whose id is not used again: it goes;
   * - `unregistered`: it belongs to what the registry does not know; it is reported, and left alone;
   * - `misplaced`: it lies in an index partition of a registered projection that does not make its key: it goes;
   * - `left`: it holds nothing, or a later change of the model may use it as it is.
   */
  kind: 'compared' | 'changing' | 'retired' | 'unregistered' | 'misplaced' | 'left';
  /** Its owner: `search:USER.name@2`, `view:GOAL@3`; empty where key and content do not name it. */
  name: string;
}

/** A generation, or a shape, that readers do not use yet, or no more. */
export interface ChangingPart {
  /** The same form as `name` of `Standing`. */
  name: string;
  /** The present work on it, for people. */
  reason: string;
  /** The time since which writers maintain it, in milliseconds since 1970 by DynamoDB's clock; absent: they do not, or it is not noted yet. */
  sinceMs?: number | undefined;
}

/** A model and the further ones that are maintained with it. */
export function layersOf(graph: CompiledModel): readonly CompiledModel[] {
  return graph.further === undefined ? [graph] : [graph, ...graph.further];
}

/** The present shape of a node type's views. */
export interface ViewShape {
  /** The stamp of this shape in a view's attribute `model`. */
  stamp: string;
  /** True if each node has a view of this shape, so that a view that is missing says that there is nothing. */
  ready: boolean;
}

/** One generation of a projection, as writers maintain it. */
export interface InForce<Places> {
  places: Places;
  /**
   * True if a newer generation of the projection is kept, which says what is right: an item that only this one cannot derive, such
   * as one with a new label of a rank, is left out of it, and has no fault.
   */
  isSuperseded?: boolean;
}

/** The table's name and those of its attributes and indexes. */
export interface TableNames {
  name: string;
  partitionKey: string;
  sortKey: string;
  ttl: string;
  /** The indexes over which an edge's first orders, and a node's searches, are spread: `gsi0`, `gsi1`, and so on. */
  indexes: readonly IndexName[];
  indexNames: Readonly<Record<IndexName, string>>;
  /** The key attributes of the indexes, where they have not the usual names. */
  indexKeys?: IndexKeys;
  /** The native indexes that the model names itself; absent: none. Each holds all attributes. */
  nativeNames?: readonly { name: string; partition: string; sort: string }[];
}

/** The key attributes of the indexes. */
export type IndexKeys = Readonly<Record<IndexName, { readonly partition: string; readonly sort: string }>>;

/** The key attributes of a table's indexes. */
export function indexKeysOf({ indexKeys = INDEX_KEYS }: Pick<TableNames, 'indexKeys'>): IndexKeys {
  return indexKeys;
}

/** Tells whether all indexes of a table have their usual names. Then the names of further indexes are known, too. */
export function hasUsualIndexNames({ indexes, indexNames, indexKeys }: TableNames): boolean {
  return indexKeys === undefined && indexes.every((index) => indexNames[index] === index);
}

/** The indexes that edges, and searches, use. */
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
  /** The attributes that views show; none where there are no views. */
  view: Projection;
  /** True if nodes of the type have views: for edge sets, for parts, or because the model declares what they show. */
  hasView: boolean;
  /** True if the model declares no `view`: reads show all attributes, of the node itself. Absent: they show what its view does. */
  isShownItself?: true;
  /** Bytes that a view may have; undefined: the default. */
  viewBudgetBytes?: number;
  /** How many entries the list, set or map of an attribute may have; only writer and import ask. */
  maxEntries: ReadonlyMap<string, number>;
  /** The attribute that the writer counts up with every write; only the writer asks. */
  versionAttribute?: string;
  /** The searches, by name; also those by attributes of its parts. */
  searches: ReadonlyMap<string, SearchModel>;
  /** Parts of the node with base items of their own, by name. */
  parts: ReadonlyMap<string, PartModel>;
  /** Edge types that enter the node and include it in their index partitions; none where it is shown itself. */
  includedBy: readonly EdgeModel[];
  /** The attribute that says that a node counts as deleted; undefined: none. */
  deletedWhen?: string;
  /** The attribute with the time at which a node ends; undefined: none. */
  expires?: string;
}

/** A compiled part of a node type. */
export interface PartModel {
  name: string;
  fields?: StandardSchemaV1;
  /** Undefined: of a model that was made from the registry, which keeps no view of the part, or another one. */
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
  /** Labels of the set element; undefined where the type is left out of the set. */
  labels?: readonly LabelModel[];
  inbound?: InboundModel;
  /**
   * The count of each node's edges of this type; undefined: none. It counts the index items that the first orders share. An edge that has
   * no such item for an order gets one for the count.
   */
  count?: CountModel<CountPlaces>;
  /** The total of the edges of this type that enter a node; undefined: none. */
  incoming?: CountModel<TotalPlaces>;
  /** The due-list, by which edges that a count or a total holds are deleted once their time is over: see `dueList`. Undefined: none. */
  due?: InboundModel;
  /** How sort keys are made. */
  keys: 'plain' | 'hashed';
  /** The character that ends the tenant in ids: an edge joins nodes of one tenant. Undefined: there are no tenants. */
  tenantSeparator?: string;
  /** Attributes of the target node that are copied into the source's view; undefined: none. */
  copy?: readonly string[];
  /** As of a node. */
  deletedWhen?: string;
  /** As of a node. */
  expires?: string;
}

/** A count, or a total, of edges. */
export interface CountModel<Places extends CounterPlaces = CounterPlaces> extends InForce<Places> {
  /** Its sums and groups; undefined: none. */
  totals?: TotalSettings;
}

/** One order of an edge type. */
export interface InboundOrder extends OrderSettings {
  places: OrderPlaces;
}

/** One index item of an edge, with the orders that it is found in. */
export interface InboundItem {
  /** The order that has the item for itself; undefined for the item that the first orders share. */
  orderName?: string;
  orders: readonly InboundOrder[];
  inForce: InForce<EdgeItemPlaces>;
}

/** How an edge type's index items are made. */
export interface InboundModel extends InboundSettings {
  /** Every order by name: those that share the one index item first, then those with items of their own, as they are declared. */
  orders: ReadonlyMap<string, InboundOrder>;
  /** The index items of an edge. */
  items: readonly InboundItem[];
  /** True if DynamoDB keeps the orders itself, by indexes on the edges: then no index item is derived. */
  native: boolean;
}

/** The derived orders of an edge type, and its due-list. */
export function listsOf({ inbound, due }: Pick<EdgeModel, 'inbound' | 'due'>): readonly InboundModel[] {
  return [inbound, due].filter((list) => list !== undefined).filter(({ native }) => !native);
}

/** The searches that have items: all but the native ones. */
export function derivedSearches(searches: ReadonlyMap<string, SearchModel>): SearchModel[] {
  return [...searches.values()].filter(({ native }) => !native);
}

/** One search of a node type. */
export interface SearchModel extends SearchSettings {
  /** The index that it is answered from. */
  index: IndexName;
  /** The name of the search whose item it shares: of the first that does, which may be itself. The item's sort key has that name. */
  itemOf: string;
  inForce: InForce<SearchPlaces>;
  /** True if DynamoDB keeps the search itself, by an index on the nodes: then no search item is derived. */
  native: boolean;
}

/** Options together with the model: what runs hand on, once `f(graph, options)` has checked the options. */
export type OfGraph<Options> = Options & { readonly graph: CompiledModel };
