import type { IndexName } from '../../items/derived-item.ts';
import type { ValueType } from '../../items/encoding.ts';

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

export type OrderPart = AttributeOrder | DeriveModel | { kind: 'source'; order: AttributeOrder };

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

/** The node or edge for which a string is computed. */
export interface DeriveContext {
  source: string;
  type: string;
  /** The target of an edge; for a node, its own id. */
  target: string;
}

/** Options of `derive`. */
export interface DeriveOptions<A> {
  /** The registry identifies functions by this number: increment it when results change. Default: 1. */
  version?: number;
  /**
   * Functions of other versions, whose items are also maintained. Deploy a new version here first, then swap it with
   * the current one.
   */
  others?: Readonly<Record<number, (attributes: A, context: DeriveContext) => string | undefined>>;
}
