import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ValueType } from '../items/encoding.ts';
import type { ExactNumber } from '../items/plain.ts';
import type { DeriveContext, DeriveOptions } from './options/settings.ts';

/** Attributes of a type without `fields`: any name, any value. */
export type OpenAttributes = Record<string, unknown>;
/** A Standard Schema validator (zod, valibot, arktype) of attributes. */
export type Fields = StandardSchemaV1<unknown, object>;
/** The validator type of a node or edge type without `fields`. */
export type OpenFields = StandardSchemaV1<OpenAttributes, OpenAttributes>;
/** The attributes that a writer accepts. For a bigint in `fields`, it also accepts other forms of whole numbers. */
export type InputOf<F extends Fields> = WholeNumbersAs<StandardSchemaV1.InferInput<F>, number | bigint | ExactNumber>;
/** Stored attributes as reads return them, with numbers instead of bigints. */
export type AttributesOf<F extends Fields> = WholeNumbersAs<StandardSchemaV1.InferOutput<F>, number | ExactNumber>;
type WholeNumbersAs<A, Form> = A extends unknown
  ? [HasBigint<A, 3>] extends [never]
    ? A
    : { [Name in keyof A]: WholeNumberAs<A[Name], Form, 2> }
  : never;
/** Limits the levels, because a type may contain itself. */
type Below = [never, 0, 1, 2];
type HasBigint<Value, Levels extends number> = unknown extends Value
  ? never
  : Value extends bigint
    ? true
    : [Levels] extends [0]
      ? never
      : Value extends ReadonlySet<infer Entry> | readonly (infer Entry)[]
        ? HasBigint<Entry, Below[Levels]>
        : Value extends Whole
          ? never
          : { [Name in keyof Value]: HasBigint<Value[Name], Below[Levels]> }[NamedIn<Value>];
/** Declared names only, without index signatures. */
type NamedIn<Value> = keyof { [Name in keyof Value as string extends Name ? never : Name]: never } & keyof Value;
type WholeNumberAs<Value, Form, Levels extends number> = [HasBigint<Value, Levels>] extends [never]
  ? Value
  : Value extends bigint
    ? Form
    : Value extends ReadonlySet<infer Entry>
      ? Set<WholeNumberAs<Entry, Form, Below[Levels]>>
      : Value extends Whole
        ? Value
        : { [Name in keyof Value]: WholeNumberAs<Value[Name], Form, Below[Levels]> };
type Whole = string | number | boolean | symbol | null | undefined | ExactNumber | Date | Uint8Array;
/** Attribute names; for a union of shapes, the names in each of them. */
export type NameOf<A> = A extends unknown ? Extract<keyof A, string> : never;

/** A computed string: see `derive`. */
export interface Derive<A> {
  readonly kind: 'derive';
  readonly compute: (attributes: A, context: DeriveContext) => string | undefined;
  readonly version: number;
  readonly others?: DeriveOptions<A>['others'];
}

/** An attribute of an edge's source node: see `source`. */
export interface SourceValue<Name extends string = string> {
  readonly kind: 'source';
  readonly attribute: Name;
}

/**
 * Names an attribute of an edge's source node, for the edge type's orders and index partition:
 * `gsi0: date(source('dueDate'))` sorts edges by their sources' due dates. Changing such an attribute rewrites the
 * index item of each edge that leaves the node.
 *
 * @example
 * // The tickets of a project: the open ones first, each status by priority.
 * edge({ from: 'TICKET', to: 'PROJECT', inbound: { orders: { byStatus: [source('status'), source('priority')] } } });
 */
export function source<const Name extends string>(attribute: Name): SourceValue<Name> {
  return { kind: 'source', attribute };
}

/** A ranked label: see `rank`. */
export interface Rank<Name extends string | SourceValue = string, Label extends string = string> {
  readonly kind: 'rank';
  readonly attribute: Name;
  readonly weights: Readonly<Record<Label, number>>;
}

/**
 * Sorts by a label's weight: `rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400 })` sorts as `500-LEAD`, so "at least
 * CONTRIBUTOR" is one range. Weights are whole numbers with the same number of digits.
 */
export function rank<const Name extends string | SourceValue, const Label extends string>(
  attribute: Name,
  weights: Readonly<Record<Label, number>>,
): Rank<Name, Label> {
  return { kind: 'rank', attribute, weights };
}

/**
 * Orders or labels by a string computed from the attributes. The function must be pure: same attributes, same string.
 * If the function returns undefined, the item isn't in the order, or lacks the label. If it throws, the item is
 * quarantined.
 *
 * @example
 * // Declare the attributes that the function reads, to check them against `fields`; otherwise they are unknown.
 * derive((goal: { title?: string }) => [...(goal.title ?? '')][0]);
 */
export function derive<A = OpenAttributes>(
  compute: (attributes: A, context: DeriveContext) => string | undefined,
  { version = 1, others }: DeriveOptions<A> = {},
): Derive<A> {
  return { kind: 'derive', compute, version, ...(others && { others }) };
}

/** A sum of an attribute: see `sum`. */
export interface Sum<Name extends string = string> {
  readonly kind: 'sum';
  readonly attribute: Name;
}

/**
 * An exact sum of an attribute over a node's edges: `inbound: { total: { hours: sum('hours') } }`. Values are decimals
 * below 10^15 with at most 12 digits after the point; others are counted in the result's `problems`. Only an edge's own
 * attributes can be summed.
 */
export function sum<const Name extends string>(attribute: Name): Sum<Name> {
  return { kind: 'sum', attribute };
}

/** A total's sums and groups. */
export interface TotalOptions<A> {
  /** The sums by their names in results, at most 8. */
  total?: Readonly<Record<string, Sum<NameOf<A>>>>;
  /**
   * Attributes by whose values edges are counted, at most 3. Values are texts, numbers or booleans, at most 50
   * different ones per attribute and node.
   */
  groupBy?: readonly NameOf<A>[];
}

/** A value of a given type: see `date` and `number`. */
export interface TypedOrder<
  Name extends string | SourceValue = string,
  Type extends Exclude<ValueType, 'string'> = Exclude<ValueType, 'string'>,
> {
  readonly kind: Type;
  readonly attribute: Name;
}

/** Sorts by ISO 8601 strings: `date('dueDate')`, or `date(source('dueDate'))` for an edge's source node. */
export function date<const Name extends string | SourceValue>(attribute: Name): TypedOrder<Name, 'date'> {
  return { kind: 'date', attribute };
}

/** Sorts by numbers: `number('points')`. */
export function number<const Name extends string | SourceValue>(attribute: Name): TypedOrder<Name, 'number'> {
  return { kind: 'number', attribute };
}

/** An order of index items. An item without the attribute isn't in the order. */
export type Order<A> = NameOf<A> | TypedOrder<NameOf<A>> | Rank<NameOf<A>> | Derive<A>;

/** A value to sort edges by, from the edge or its source node. */
export type EdgeOrderValue<A> = Order<A> | SourceValue | TypedOrder<SourceValue> | Rank<SourceValue>;

/**
 * An order of edges, by one value or by several in turn. All values ascend; `reverse: true` reads from the end. There
 * is no `desc`, because a string would sort before its extensions in both directions. An order by several values is
 * searched by its leading values, and an edge is found by its values up to the first that it lacks.
 */
export type EdgeOrderOption<A> = EdgeOrderValue<A> | readonly EdgeOrderValue<A>[];

/** Which attributes are copied: keys only, a list, or all. */
export type ProjectOption<Name extends string> = 'KEYS_ONLY' | 'ALL' | readonly Name[];
