import type { IndexName } from '../../items/derived-item.ts';
import type { ValueType } from '../../items/encoding.ts';
import type { DeriveContext } from './derive-options.ts';

export type { IndexName };

export interface TotalSettings {
  sums: readonly TotalPart[];
  groups: readonly TotalPart[];
}

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

export type SearchOrder = AttributeOrder | DeriveModel | { kind: 'path'; attributes: readonly string[] };

export type EdgeOrderModel = OrderPart | { kind: 'parts'; parts: readonly OrderPart[] };

export type OrderModel = SearchOrder | EdgeOrderModel;

export interface DeriveModel {
  kind: 'derive';
  compute: Compute;
  version: number;
  others?: Readonly<Record<string, Compute>>;
}

/** The function given to `derive`, without the model's attribute types. */
export type Compute = (attributes: Record<string, unknown>, context: DeriveContext) => string | undefined;

/** Attributes copied into a derived item. */
export type Projection = { kind: 'KEYS_ONLY' } | { kind: 'ALL' } | { kind: 'LIST'; attributes: readonly string[] };
