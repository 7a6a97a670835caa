import type { ExactNumber } from '../items/plain.ts';
import type { TextFormName } from './options/option-tables.ts';
import type { AttributesOf, Fields, InputOf, NameOf, SourceValue, TypedOrder } from './order.ts';

/**
 * Infers types from options. An option whose value isn't known at compile time counts as every value that it may have.
 */

/** A number as an argument. A string, bigint or `ExactNumber` keeps digits that a JavaScript number would lose. */
export type NumberValue = `${number}` | number | bigint | ExactNumber;

/** A label's value as an argument. Labels are compared as strings, so `39` equals `'39'`. */
export type LabelValue = string | number | bigint | boolean | ExactNumber;

/** The types of a search's arguments and results. */
export interface SearchTypes {
  /** `equality`: the search only answers `equals`; `any`: its options aren't known. */
  kind: 'text' | 'ordered' | 'equality' | 'path' | 'any';
  value: string | NumberValue;
  found: unknown;
  shown: string;
  /** True if queries have to name a value of the search's partition attribute. */
  partition: boolean;
  path: readonly string[];
  /** Searched attributes, which filters may compare as well. */
  by: object;
}

/** The types of a search whose options aren't known. */
export interface OpenSearch extends SearchTypes {
  kind: 'any';
}

/** The types that a part's definition carries. */
export interface PartTypes {
  input: unknown;
  output: unknown;
  /** The names don't include the part's name. */
  searches: object;
  view: string;
}

/** The types that a node type's definition carries. */
export interface NodeTypes {
  input: unknown;
  output: unknown;
  /** Includes searches of the type's parts. */
  searches: object;
  /** Attributes that the view shows; all if no `view` is declared. */
  view: string;
  /** True with `view` or parts. Edge sets also give a type views, but aren't known here. */
  viewed: boolean;
  parts: object;
  list: boolean;
  /** Never if the type has no version attribute. */
  version: string;
}

/** The types that an edge type's definition carries. */
export interface EdgeTypes {
  input: unknown;
  output: unknown;
  from: string;
  to: string;
  labels: object;
  labeled: LabelValue;
  /** The values of each order as arguments. */
  orders: object;
  /** Order values as `fields` declares them; `SourceValue` for an attribute of the source node. */
  whole: object;
  inKeys: object;
  inKeysOfSource: object;
  shown: string;
  shownOfSource: string;
  /** Source attributes that orders or the partition use. */
  namedOfSource: string;
  textsOfSource: string;
  numbersOfSource: string;
  includesTarget: boolean;
  partition: boolean;
  inSet: boolean;
  degree: boolean;
  totals: TotalNames;
  totaled: string;
  copy: string;
}

/** The names of a total's sums, and its groups with their values. */
export interface TotalNames {
  sums: string;
  groups: object;
}

type TotalsOf<A, Options> = true extends IsGiven<Options, 'total'> | IsGiven<Options, 'groupBy'>
  ? {
      sums: Extract<keyof NonNullable<Option<Options, 'total'>>, string>;
      groups: GroupsOf<A, NonNullable<Option<Options, 'groupBy'>>>;
    }
  : never;

type GroupsOf<A, GroupBy> = GroupBy extends readonly (infer Name)[]
  ? { [Grouped in Extract<Name, string>]: ValueOf<A, Grouped> }
  : Record<never, never>;

type ValueOf<A, Name> = A extends unknown ? (Name extends keyof A ? Exclude<A[Name], undefined | null> : never) : never;

type Option<Options, Name extends string> = Options extends { readonly [N in Name]?: infer Value }
  ? unknown extends Value
    ? undefined
    : Value
  : undefined;

/** Whether the option is given; boolean if unknown. */
type IsGiven<Options, Name extends string> =
  Option<Options, Name> extends infer Value
    ? Value extends undefined
      ? false
      : Options extends { readonly [N in Name]: unknown }
        ? true
        : boolean
    : never;

type Copied<A, Option, Default> = Option extends undefined
  ? Copied<A, Default, 'KEYS_ONLY'>
  : Option extends 'ALL'
    ? NameOf<A>
    : Option extends readonly (infer Name)[]
      ? Extract<Name, string>
      : never;

type ValueOfType<Type> = Type extends 'number' ? NumberValue : string;

/** `Type` applies if the order names no type. */
type ValueOfOrder<Order, Type = 'string'> = Order extends readonly unknown[]
  ? { readonly [Place in keyof Order]: ValueOfOne<Order[Place], 'string'> }
  : ValueOfOne<Order, Type>;

type ValueOfOne<Order, Type> = Order extends {
  kind: 'rank';
  weights: Readonly<Record<infer Label, number>>;
}
  ? Extract<Label, string>
  : Order extends { kind: 'derive' }
    ? string
    : ValueOfType<TypeOfOrder<Order, Type>>;

type TypeOfOrder<Order, Type> = Order extends { kind: infer Own extends TypedOrder['kind'] } ? Own : Type;

type AttributeValueOf<A, Name, Each> = A extends unknown
  ? Name extends keyof A
    ? Each extends true
      ? ElementOf<NonNullable<A[Name]>>
      : Exclude<A[Name], undefined>
    : never
  : never;

type ElementOf<Value> = Value extends ReadonlySet<infer Element> | readonly (infer Element)[] ? Element : unknown;

/** `Name` is the attribute if the order names none. */
type FoundByOrder<A, Name, Order, Each> = Order extends { kind: 'derive' }
  ? string
  : Order extends { kind: 'rank'; weights: Readonly<Record<infer Label, number>> }
    ? Extract<Label, string>
    : Order extends { kind: TypedOrder['kind']; attribute: infer From }
      ? AttributeValueOf<A, From, Each>
      : AttributeValueOf<A, Order extends string ? Order : Name, Each>;

/**
 * `Value` if it is made of literals; otherwise any string. Literals are recognized by `Record`, which requires a key
 * for each of them, but none for string patterns.
 */
export type MembersOf<Value> = [Value] extends [string]
  ? Record<never, never> extends Record<Value, unknown>
    ? string
    : Value
  : string;

/** Because of a form such as `caseInsensitive`, strings other than the literal find the value, too. */
type HasForm<Options> = true extends { [Name in TextFormName]: Option<Options, Name> }[TextFormName] ? true : false;

type ArgumentOf<Value, Found, Options> = string extends Value
  ? true extends HasForm<Options>
    ? Value
    : Option<Options, 'type'> extends 'date'
      ? Value
      : MembersOf<Found>
  : Value;

/** Ranks and numbers have no prefixes to search by. */
type KindOfOrder<Order, Type> = Order extends { kind: 'rank' }
  ? 'ordered'
  : Order extends { kind: 'derive' }
    ? 'text'
    : TypeOfOrder<Order, Type> extends 'number'
      ? 'ordered'
      : 'text';

type SearchOf<A, Name, Entry> = Entry extends string | { kind: 'rank' | 'derive' | TypedOrder['kind'] }
  ? {
      kind: KindOfOrder<Entry, 'string'>;
      value: ArgumentOf<ValueOfOrder<Entry>, FoundByOrder<A, Name, Entry, false>, unknown>;
      found: FoundByOrder<A, Name, Entry, false>;
      shown: never;
      partition: false;
      path: readonly string[];
      by: SearchedBy<A, Name, Entry, unknown>;
    }
  : {
      kind: Option<Entry, 'path'> extends readonly unknown[]
        ? 'path'
        : Option<Entry, 'shards'> extends 'value'
          ? 'equality'
          : Option<Entry, 'native'> extends true
            ? 'equality'
            : KindOfOrder<Option<Entry, 'attribute'>, Option<Entry, 'type'>>;
      value: ArgumentOf<
        ValueOfOrder<Option<Entry, 'attribute'>, Option<Entry, 'type'>>,
        FoundByOrder<A, Name, Option<Entry, 'attribute'>, Option<Entry, 'multiValue'>>,
        Entry
      >;
      found: Option<Entry, 'path'> extends readonly unknown[]
        ? string[]
        : FoundByOrder<A, Name, Option<Entry, 'attribute'>, Option<Entry, 'multiValue'>>;
      shown: Copied<A, Option<Entry, 'project'>, 'KEYS_ONLY'>;
      partition: IsGiven<Entry, 'partition'>;
      path: PathOf<A, Option<Entry, 'path'>, HasForm<Entry>>;
      by: SearchedBy<A, Name, Option<Entry, 'attribute'>, Entry>;
    };

type PathOf<A, Path, Formed> = true extends Formed
  ? readonly string[]
  : Path extends readonly string[]
    ? TextsOrLeading<{ readonly [Place in keyof Path]: MembersOf<AttributeValueOf<A, Path[Place], false>> }>
    : readonly string[];

/** Any strings if no value is declared, because the list may be computed at run time. */
type TextsOrLeading<Values extends readonly unknown[]> = { readonly [Place in keyof Values]: string } extends Values
  ? readonly string[]
  : Extract<Leading<Values>, readonly string[]>;

export type Leading<Values> = Values extends readonly [infer First, ...infer Others]
  ? readonly [] | readonly [First, ...Leading<Others>]
  : Values extends readonly []
    ? readonly []
    : Values extends readonly (infer Value)[]
      ? readonly Value[]
      : never;

/** Attributes that filters may compare; none if an item shows one of several values, or a computed one. */
type SearchedBy<A, Name, Order, Entry> =
  Option<Entry, 'path'> extends readonly (infer Segment)[]
    ? { [Named in Extract<Segment, string>]?: AttributeValueOf<A, Named, false> }
    : true extends Option<Entry, 'multiValue'>
      ? Record<never, never>
      : Order extends { kind: 'derive' }
        ? Record<never, never>
        : {
            [Named in Order extends { attribute: infer From extends string }
              ? From
              : Order extends string
                ? Order
                : Name & string]?: FoundByOrder<A, Name, Order, false>;
          };

/** The types that `part` infers from its options. */
export interface PartTypesOf<F extends Fields, Searches, View> {
  input: InputOf<F>;
  output: AttributesOf<F>;
  searches: { [Name in keyof Searches]: SearchOf<AttributesOf<F>, Name, Searches[Name]> };
  view: Copied<AttributesOf<F>, View, 'ALL'>;
}

type TypesOfParts<Parts> = {
  [P in keyof Parts]: Parts[P] extends { readonly types?: infer Types } ? NonNullable<Types> : never;
};

type PartSearchName<Parts> = {
  [P in Extract<keyof Parts, string>]: Parts[P] extends { searches: infer Searches }
    ? `${P}.${Extract<keyof Searches, string>}`
    : never;
}[Extract<keyof Parts, string>];

type PartSearches<Parts> = {
  [Name in PartSearchName<Parts>]: Name extends `${infer P}.${infer Search}`
    ? Parts[P & keyof Parts] extends { searches: infer Searches }
      ? Searches[Search & keyof Searches]
      : never
    : never;
};

/** The types that `node` infers from its options. */
export interface NodeTypesOf<F extends Fields, Searches, View, List extends boolean, Parts, Version extends string> {
  input: InputOf<F>;
  output: AttributesOf<F>;
  searches: { [Name in keyof Searches]: SearchOf<AttributesOf<F>, Name, Searches[Name]> } & PartSearches<
    TypesOfParts<Parts>
  >;
  view: Copied<AttributesOf<F>, View, 'ALL'>;
  viewed: View extends undefined ? ([keyof Parts] extends [never] ? false : true) : true;
  parts: TypesOfParts<Parts>;
  list: List;
  version: Version;
}

type LabelsFrom<EdgeSet> = EdgeSet extends false
  ? Record<never, never>
  : EdgeSet extends readonly (infer Name)[]
    ? { [Label in Extract<Name, string>]: Label }
    : EdgeSet;

type LabelsOf<A, From> = {
  [Label in Extract<keyof From, string>]: From[Label] extends string ? AttributeValueOf<A, From[Label], false> : string;
};

/** Values that `fields`, or a rank of the same attribute, declares. */
type LabelledBy<A, From, Order> = {
  [Label in keyof From]: From[Label] extends string
    ? LabelArgument<AttributeValueOf<A, From[Label], false>, LabelOfRank<Order, From[Label]>>
    : string;
}[keyof From];

type LabelArgument<Value, Ranked> = unknown extends Value
  ? [Ranked] extends [never]
    ? LabelValue
    : Ranked
  : Value extends string
    ? Value
    : Value extends boolean
      ? Value | `${Value}`
      : Value extends number | bigint | ExactNumber
        ? NumberValue
        : never;

type LabelOfRank<Order, Name> = Order extends readonly (infer Part)[]
  ? LabelOfOne<Part, Name>
  : LabelOfOne<Order, Name>;

type LabelOfOne<Part, Name> = Part extends {
  kind: 'rank';
  attribute: Name;
  weights: Readonly<Record<infer Label, number>>;
}
  ? Extract<Label, string>
  : never;

type WholeOfOrder<A, Order> = Order extends readonly unknown[]
  ? { readonly [Place in keyof Order]: WholeOfOne<A, Order[Place]> }
  : WholeOfOne<A, Order>;

type WholeOfOne<A, Order> = Order extends string
  ? MembersOf<AttributeValueOf<A, Order, false>>
  : Order extends SourceValue
    ? Order
    : ValueOfOne<Order, 'string'>;

/** The parts whose values keys hold unchanged, which excludes dates and computed strings. */
type KeptInKey<Entry> = Exclude<
  Entry extends readonly (infer Part)[] ? Part : Entry,
  { readonly kind: 'date' } | { readonly kind: 'derive' }
>;

type NameOfEdge<Part> = Part extends string
  ? Part
  : Part extends { readonly kind: 'rank' | 'number'; readonly attribute: infer Name extends string }
    ? Name
    : never;

type NameOfSource<Part> =
  Part extends SourceValue<infer Name>
    ? Name
    : Part extends { readonly attribute: SourceValue<infer Name> }
      ? Name
      : never;

type NamesOfSource<Entry> = Entry extends readonly (infer Part)[] ? NameOfSource<Part> : NameOfSource<Entry>;

type NumbersOfSource<Entry> = NamesOfSource<
  Extract<Entry extends readonly (infer Part)[] ? Part : Entry, { readonly kind: 'number' }>
>;

type OrdersIn<Inbound> = Inbound extends { readonly orders?: infer Orders extends object }
  ? Orders
  : Record<never, never>;

/** The types that `edge` infers from its options. */
export interface EdgeTypesOf<
  From extends string,
  To extends string,
  EdgeSet,
  Inbound,
  Copy extends string,
  Degree extends boolean,
  Outgoing,
  F extends Fields,
> {
  input: InputOf<F>;
  output: AttributesOf<F>;
  from: From;
  to: To;
  labels: LabelsOf<AttributesOf<F>, LabelsFrom<EdgeSet>>;
  labeled: LabelledBy<AttributesOf<F>, LabelsFrom<EdgeSet>, OrdersIn<Inbound>[keyof OrdersIn<Inbound>]>;
  orders: { [Name in keyof OrdersIn<Inbound>]: ValueOfOrder<OrdersIn<Inbound>[Name]> };
  whole: { [Name in keyof OrdersIn<Inbound>]: WholeOfOrder<AttributesOf<F>, OrdersIn<Inbound>[Name]> };
  inKeys: { [Name in keyof OrdersIn<Inbound>]: NameOfEdge<KeptInKey<OrdersIn<Inbound>[Name]>> };
  inKeysOfSource: { [Name in keyof OrdersIn<Inbound>]: NameOfSource<KeptInKey<OrdersIn<Inbound>[Name]>> };
  shown: Copied<AttributesOf<F>, Option<Inbound, 'project'>, 'KEYS_ONLY'>;
  shownOfSource: Copied<Record<string, unknown>, Option<Inbound, 'projectSource'>, 'KEYS_ONLY'>;
  namedOfSource: NamesOfSource<OrdersIn<Inbound>[keyof OrdersIn<Inbound>] | Option<Inbound, 'partition'>>;
  textsOfSource: Exclude<
    NamesOfSource<OrdersIn<Inbound>[keyof OrdersIn<Inbound>] | Option<Inbound, 'partition'>>,
    NumbersOfSource<OrdersIn<Inbound>[keyof OrdersIn<Inbound>]>
  >;
  numbersOfSource: NumbersOfSource<OrdersIn<Inbound>[keyof OrdersIn<Inbound>]>;
  includesTarget: Option<Inbound, 'includeTarget'> extends infer Included extends boolean ? Included : false;
  partition: IsGiven<Inbound, 'partition'>;
  inSet: EdgeSet extends false ? false : true;
  degree: Degree | ([TotalsOf<AttributesOf<F>, Outgoing>] extends [never] ? never : true);
  totals: TotalsOf<AttributesOf<F>, Inbound> | TotalsOf<AttributesOf<F>, Outgoing>;
  totaled:
    | ([TotalsOf<AttributesOf<F>, Inbound>] extends [never] ? never : To)
    | ([TotalsOf<AttributesOf<F>, Outgoing>] extends [never] ? never : From);
  copy: Copy;
}
