import type { ValueType } from '../../items/encoding.ts';
import type { HashName } from '../../items/shard.ts';
import type { DeriveContext } from './derive-options.ts';

/**
 * The options of a projection, checked and with every default filled in, without the places of any generation. Definitions in the
 * registry hold them, so that an option whose default is `undefined` or `false` changes no fingerprint.
 */

/** The two indexes that a model can use. */
export type IndexName = 'gsi0' | 'gsi1';

/** The options of one search of a node type. */
export interface SearchSettings {
  /** `USER.name`: the index partition without its suffixes. */
  indexPartition: string;
  name: string;
  order: SearchOrder;
  each: boolean;
  fold: boolean;
  shards: number | 'value';
  shardBy: 'value' | 'source';
  hash: HashName;
  partition?: string;
  project: Projection;
  /** The part that has the searched attributes, such as `STATE` for the search `STATE.status`; undefined: the node itself has them. */
  part?: string;
}

/** The line of the model file that declares a search: `nodes.USER.search.name`, of a part `nodes.USER.parts.STATE.search.status`. */
export function lineOfSearch({
  indexPartition,
  name,
  part,
}: Pick<SearchSettings, 'indexPartition' | 'name' | 'part'>): string {
  const node = `nodes.${indexPartition.slice(0, indexPartition.indexOf('.'))}`;
  return part === undefined ? `${node}.search.${name}` : `${node}.parts.${part}.search.${name.slice(part.length + 1)}`;
}

/**
 * The effect of an option. `order`: it decides the order of hits, so that a cursor goes on only where it is the same; `result`: it
 * decides what else a question gets; `spread`: it only decides where in an index items are, which no reader of results sees.
 */
export type OptionEffect = 'order' | 'result' | 'spread';

/** Every option of a search, with its effect. The registry refuses definitions with others: newer software made them. */
export const SEARCH_OPTION_EFFECTS: Readonly<Record<keyof SearchSettings, OptionEffect>> = {
  indexPartition: 'result',
  name: 'result',
  order: 'order',
  each: 'order',
  fold: 'order',
  shards: 'spread',
  shardBy: 'spread',
  hash: 'spread',
  partition: 'order',
  project: 'result',
  part: 'order',
};

/** The options of a part's view. */
export interface PartSettings {
  name: string;
  /** Attributes of the part that its view shows. */
  view: Projection;
}

/** Every option of a part's view, with its effect. */
export const PART_OPTION_EFFECTS: Readonly<Record<keyof PartSettings, OptionEffect>> = {
  name: 'result',
  view: 'result',
};

/** The options that apply to all orders of an edge type. */
export interface InboundSettings {
  shards: number;
  shardBy: 'value' | 'source';
  hash: HashName;
  project: Projection;
  /** Attributes of the source node that are copied into the index items; undefined: none. */
  projectSource?: readonly string[];
  /** The attribute in the index partition; queries then name its value. */
  partition?: PartitionModel;
  /** Whether the target node is in the index partitions of its edges too, behind them; then there is one shard. */
  includeOwner: boolean;
}

/** Every option that applies to all orders of an edge type, with its effect. */
export const INBOUND_OPTION_EFFECTS: Readonly<Record<keyof InboundSettings, OptionEffect>> = {
  shards: 'spread',
  shardBy: 'spread',
  hash: 'spread',
  project: 'result',
  projectSource: 'result',
  partition: 'order',
  includeOwner: 'result',
};

/** The sums and groups of a total of edges, each list by name. */
export interface TotalSettings {
  /** The sums of attributes. */
  sums: readonly TotalPart[];
  /** The numbers of edges by the value of an attribute. */
  groups: readonly TotalPart[];
}

/** A sum or a group, and the attribute of the edge that it is of. */
export interface TotalPart {
  name: string;
  attribute: string;
}

/** The options of one order of an edge type. */
export interface OrderSettings {
  /** `gsi0`, `gsi1`, or a name. */
  name: string;
  index: IndexName;
  order: EdgeOrderModel;
  /** Whether it is beyond the two indexes, with an index item and an index partition of its own. */
  isNamed: boolean;
}

/** Every option of one order, with its effect. */
export const ORDER_OPTION_EFFECTS: Readonly<Record<keyof OrderSettings, OptionEffect>> = {
  name: 'order',
  index: 'result',
  order: 'order',
  isNamed: 'result',
};

/** An attribute that is part of an edge's index partition, and whose it is. */
export interface PartitionModel {
  of: 'edge' | 'source';
  attribute: string;
}

/** An order by one attribute. */
export type AttributeOrder =
  | { kind: 'attribute'; attribute: string; type: ValueType }
  | { kind: 'rank'; attribute: string; weights: ReadonlyMap<string, string> };

/** An order of an edge by an attribute of its source node. */
export interface SourceOrder {
  kind: 'source';
  order: AttributeOrder;
}

/** One part of an order of several. */
export type OrderPart = AttributeOrder | DeriveModel | SourceOrder;

/** Where a search's value comes from and how it is encoded. */
export type SearchOrder =
  | AttributeOrder
  | DeriveModel
  /** Attributes joined in order. */
  | { kind: 'path'; attributes: readonly string[] };

/** Where the value of an edge's order comes from and how it is encoded. */
export type EdgeOrderModel =
  | OrderPart
  /** Values joined in order. */
  | { kind: 'parts'; parts: readonly OrderPart[] };

/** Any order. */
export type OrderModel = SearchOrder | EdgeOrderModel;

/** A computed text. */
export interface DeriveModel {
  kind: 'derive';
  compute: Compute;
  version: number;
  /** Functions of other versions. */
  others?: Readonly<Record<string, Compute>>;
}

/** The function of a `derive`, over open attributes. */
export type Compute = (attributes: Record<string, unknown>, context: DeriveContext) => string | undefined;

/** Which attributes of a base item are copied into a derived item. */
export type Projection = { kind: 'KEYS_ONLY' } | { kind: 'ALL' } | { kind: 'LIST'; attributes: readonly string[] };
