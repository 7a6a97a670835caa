import type { IndexName } from '../../items/derived-item.ts';
import type { ValueType } from '../../items/encoding.ts';
import type { DeriveContext } from './derive-options.ts';

/** The values that settings of projections have: orders, projections, partitions and totals. */

export type { IndexName };

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
