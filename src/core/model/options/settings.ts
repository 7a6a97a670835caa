import type { IndexName } from '../../items/derived-item.ts';
import type { ValueType } from '../../items/encoding.ts';
import type { DeriveContext } from './derive-options.ts';

export type { IndexName };

/** A total's sums and groups, each by name. */
export interface TotalSettings {
  /** The sums of attributes. */
  sums: readonly TotalPart[];
  /** Numbers of edges by an attribute's value. */
  groups: readonly TotalPart[];
}

/** A sum or group, and its edge attribute. */
export interface TotalPart {
  name: string;
  attribute: string;
}

export interface PartitionModel {
  of: 'edge' | 'source';
  attribute: string;
}

export type AttributeOrder =
  | { kind: 'attribute'; attribute: string; type: ValueType }
  | { kind: 'rank'; attribute: string; weights: ReadonlyMap<string, string> };

export interface SourceOrder {
  kind: 'source';
  order: AttributeOrder;
}

export type OrderPart = AttributeOrder | DeriveModel | SourceOrder;

/** Where a search's value comes from and how it is encoded. */
export type SearchOrder =
  | AttributeOrder
  | DeriveModel
  /** Attributes joined in order. */
  | { kind: 'path'; attributes: readonly string[] };

/** Where an edge order's value comes from and how it is encoded. */
export type EdgeOrderModel =
  | OrderPart
  /** Values joined in order. */
  | { kind: 'parts'; parts: readonly OrderPart[] };

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
