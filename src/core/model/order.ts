import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ValueType } from '../items/encoding.ts';
import type { ExactNumber } from '../items/plain.ts';
import type { DeriveContext, DeriveOptions } from './options/derive-options.ts';

/**
 * Attributes of a type and orders of items: the vocabulary that the options of `node` and `edge` share.
 */

/** Attributes of a type without `fields`: any name, any value. */
export type OpenAttributes = Record<string, unknown>;
/** A Standard Schema validator (zod, valibot, arktype) of attributes. */
export type Fields = StandardSchemaV1<unknown, object>;
/** The validator type of a node or edge that declares none. */
export type OpenFields = StandardSchemaV1<OpenAttributes, OpenAttributes>;
/** The attributes that a writer takes: those that the validator takes, with whole numbers in each form. */
export type InputOf<F extends Fields> = WholeNumbersAs<StandardSchemaV1.InferInput<F>, number | bigint | ExactNumber>;
/** The attributes that are stored, as they are read: those that the validator gives. A read gives no bigint. */
export type AttributesOf<F extends Fields> = WholeNumbersAs<StandardSchemaV1.InferOutput<F>, number | ExactNumber>;
/** Attributes with another type for each bigint in them; the same type where there is none. Each shape of a union has its own. */
type WholeNumbersAs<A, Form> = A extends unknown
  ? [HasBigint<A, 3>] extends [never]
    ? A
    : { [Name in keyof A]: WholeNumberAs<A[Name], Form, 2> }
  : never;
/** Levels below a level, so that a type that contains itself ends. */
type Below = [never, 0, 1, 2];
/** `true` if a value's type has a bigint within this number of levels; else never. */
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
/** The names of properties without those of an index signature, whose type is all that a look by any name gives. */
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
/** Values without values of their own. */
type Whole = string | number | boolean | symbol | null | undefined | ExactNumber | Date | Uint8Array;
/** The names of attributes; of a union of shapes, those of each. */
export type NameOf<A> = A extends unknown ? Extract<keyof A, string> : never;

/** A computed text: see `derive`. */
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
 * Names an attribute of the node that an edge leaves, for use in the orders and the index partition of the edge type:
 * `gsi0: date(source('dueDate'))` lists the edges by the due dates of their sources. A change of such
 * an attribute costs a write of the index item of each edge that leaves the node.
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
 * Orders by a label's weight: `rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400 })` sorts as `500-LEAD`,
 * `400-CONTRIBUTOR`, so "at least CONTRIBUTOR" is one range. Weights are whole numbers of equal width.
 */
export function rank<const Name extends string | SourceValue, const Label extends string>(
  attribute: Name,
  weights: Readonly<Record<Label, number>>,
): Rank<Name, Label> {
  return { kind: 'rank', attribute, weights };
}

/**
 * Orders or labels by a text computed from the attributes. It must be pure: the same attributes, the same text. An
 * undefined result leaves the item out of the order; a throw quarantines the record.
 *
 * @example
 * // Naming the attributes that it reads has them checked against `fields`; else they are of type unknown.
 * derive((goal: { title: string }) => goal.title.charAt(0));
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
 * A sum of an attribute over a node's edges, kept exact: `inbound: { total: { hours: sum('hours') } }`. Values are decimals below
 * 10^15 with at most 12 digits behind the point. Any other value is counted in `problems` of the result, and left out of the sum. The
 * attribute is the edge's own: no total follows an attribute of the edge's source.
 */
export function sum<const Name extends string>(attribute: Name): Sum<Name> {
  return { kind: 'sum', attribute };
}

/** The sums and groups of a total of edges. */
export interface TotalOptions<A> {
  /** Sums of attributes, by the names that they have in results. At most 8. */
  total?: Readonly<Record<string, Sum<NameOf<A>>>>;
  /**
   * Attributes: for each, the number of edges by its values, kept exact. At most 3. The values are texts, numbers and booleans, 50
   * different ones at most for each node. The attribute is the edge's own, as with `sum`.
   */
  groupBy?: readonly NameOf<A>[];
}

/** A value with its type: see `date` and `number`. */
export interface TypedOrder<
  Name extends string | SourceValue = string,
  Type extends Exclude<ValueType, 'string'> = Exclude<ValueType, 'string'>,
> {
  readonly kind: Type;
  readonly attribute: Name;
}

/**
 * Orders by an attribute whose values are dates and times, ISO 8601 texts: `date('dueDate')`, of the node that an edge leaves
 * `date(source('dueDate'))`. Text order becomes the order of time.
 */
export function date<const Name extends string | SourceValue>(attribute: Name): TypedOrder<Name, 'date'> {
  return { kind: 'date', attribute };
}

/** Orders by an attribute whose values are numbers: `number('points')`. Text order becomes the order of the numbers. */
export function number<const Name extends string | SourceValue>(attribute: Name): TypedOrder<Name, 'number'> {
  return { kind: 'number', attribute };
}

/** An order of index items. An item without the attribute is left out of that order, as in any DynamoDB index. */
export type Order<A> = NameOf<A> | TypedOrder<NameOf<A>> | Rank<NameOf<A>> | Derive<A>;

/** One value that edges are sorted by: of the edge, or of its source node. */
export type EdgeOrderValue<A> = Order<A> | SourceValue | TypedOrder<SourceValue> | Rank<SourceValue>;

/**
 * An order of edges: one value, or several in order. All run upwards, and a reader's `reverse: true` gives the order from its end.
 * There is no `desc`: values against each other in one order need inverted keys, which exist for numbers and dates, and not for texts,
 * since the shorter of two texts sorts first in both directions. `derive` gives an inverted number where one order needs it.
 * A list is searched by its leading values, as a path is; an edge
 * is found by those up to the first that it lacks, and one that lacks the first is left out.
 */
export type EdgeOrderOption<A> = EdgeOrderValue<A> | readonly EdgeOrderValue<A>[];

/** Which attributes are copied: keys only, a list, or all of them. */
export type ProjectOption<Name extends string> = 'KEYS_ONLY' | 'ALL' | readonly Name[];
