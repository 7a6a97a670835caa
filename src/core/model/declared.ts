import type { ExactNumber } from '../items/plain.ts';
import type { AttributesOf, Fields, InputOf, NameOf, SourceValue, TypedOrder } from './order.ts';

/**
 * Types of the options of a node or edge type: the types that a definition carries from the model to writer
 * and reader. Options that are not known in detail, such as those of a variable, count as any that they may be.
 */

/** Numbers as arguments: none of these forms loses digits. A text is a decimal. */
export type NumberValue = `${number}` | number | bigint | ExactNumber;

/** The value of a label as an argument; it is compared by its text, so `39` and `'39'` are alike. */
export type LabelValue = string | number | bigint | boolean | ExactNumber;

/** The arguments and results of a search. */
export interface SearchTypes {
  /** Which questions it answers: of texts, of other orders, of equality only, of the segments of a path; `any` is not known. */
  kind: 'text' | 'ordered' | 'equality' | 'path' | 'any';
  /** Its values as arguments: labels, texts or numbers. */
  value: string | NumberValue;
  /** The values that its hits show: those of the attribute. */
  found: unknown;
  /** The attributes that its hits show. */
  shown: string;
  /** True if it is asked for one value of its partition attribute. */
  partition: boolean;
  /** The leading segments of its path, as arguments. */
  path: readonly string[];
  /** The attributes that it is by, with their values: a filter compares them, too. */
  by: object;
}

/** A search of which nothing is known. */
export interface OpenSearch extends SearchTypes {
  kind: 'any';
}

/** The types that the definition of a part carries. */
export interface PartTypes {
  input: unknown;
  output: unknown;
  /** The searches by name, without the part's. */
  searches: object;
  /** The attributes that reads show. */
  view: string;
}

/** The types that a node definition carries. */
export interface NodeTypes {
  input: unknown;
  output: unknown;
  /** The searches by name, those of its parts too. */
  searches: object;
  /** The attributes that reads show: those of the view; all where none is declared. */
  view: string;
  /** True if the node type asks for views: it shows attributes, or has parts. Edge sets give views, too. */
  viewed: boolean;
  /** The types of its parts, by name. */
  parts: object;
  /** True if the type has a list. */
  list: boolean;
  /** The attribute with the version; never where there is none. */
  version: string;
}

/** The types that an edge definition carries. */
export interface EdgeTypes {
  input: unknown;
  output: unknown;
  from: string;
  to: string;
  /** The values of each label of its edge-set elements, by the label's name. */
  labels: object;
  /** The values of labels as arguments. */
  labelled: LabelValue;
  /** The values of each order as arguments, by the order's name. */
  orders: object;
  /** The whole values of each order as arguments: those that `fields` declares, and `SourceValue` for those of a source's attribute. */
  whole: object;
  /** The attributes that the keys of each order hold, by the order's name: those of the edge. */
  inKeys: object;
  /** The same of the source node. */
  inKeysOfSource: object;
  /** The attributes of the edge that its index items show. */
  shown: string;
  /** The attributes of the source node that its index items show. */
  shownOfSource: string;
  /** The attributes of the source node that the orders and the partition name. */
  namedOfSource: string;
  /** The ones that are ordered as texts. */
  textsOfSource: string;
  /** The ones that are ordered as numbers. */
  numbersOfSource: string;
  /** True if the target is in the index partitions of its incoming edges. */
  includesTarget: boolean;
  /** True if its index items have a partition attribute, whose value queries name. */
  partition: boolean;
  /** True if edge sets have the type. */
  inSet: boolean;
  /** True if its edges are counted. */
  degree: boolean;
  /** The names of sums and groups of its totals; never: it has none. */
  totals: TotalNames;
  /** The node types at whose ends of the edges they are. */
  totalled: string;
  copy: string;
}

/** The names of the sums of a total, and its groups by their names, with the values that their attributes may have. */
export interface TotalNames {
  sums: string;
  groups: object;
}

/** The totals that an option declares over edges of attributes `A`; never if it declares none. */
type TotalsOf<A, Options> = true extends IsGiven<Options, 'total'> | IsGiven<Options, 'groupBy'>
  ? {
      sums: Extract<keyof NonNullable<Option<Options, 'total'>>, string>;
      groups: GroupsOf<A, NonNullable<Option<Options, 'groupBy'>>>;
    }
  : never;

/** The values of the grouped attributes, by their names. */
type GroupsOf<A, GroupBy> = GroupBy extends readonly (infer Name)[]
  ? { [Grouped in Extract<Name, string>]: ValueOf<A, Grouped> }
  : Record<never, never>;

/** The values of an attribute, as they are stored: of each shape that attributes may have. */
type ValueOf<A, Name> = A extends unknown ? (Name extends keyof A ? Exclude<A[Name], undefined | null> : never) : never;

/** An option's value; undefined where it is not given. */
type Option<Options, Name extends string> = Options extends { readonly [N in Name]?: infer Value }
  ? unknown extends Value
    ? undefined
    : Value
  : undefined;

/** True if an option is given; boolean where that is not known. */
type IsGiven<Options, Name extends string> =
  Option<Options, Name> extends infer Value
    ? Value extends undefined
      ? false
      : Options extends { readonly [N in Name]: unknown }
        ? true
        : boolean
    : never;

/** The names that a `view` or `project` option copies. */
type Copied<A, Option, Default> = Option extends undefined
  ? Copied<A, Default, 'KEYS_ONLY'>
  : Option extends 'ALL'
    ? NameOf<A>
    : Option extends readonly (infer Name)[]
      ? Extract<Name, string>
      : never;

/** The values of an attribute of a type, as arguments. */
type ValueOfType<Type> = Type extends 'number' ? NumberValue : string;

/**
 * The values of an order as arguments, those of an order by several values as a list; `Type` is that of an attribute where
 * the order names none.
 */
type ValueOfOrder<Order, Type = 'string'> = Order extends readonly unknown[]
  ? { readonly [Place in keyof Order]: ValueOfOne<Order[Place], 'string'> }
  : ValueOfOne<Order, Type>;

/** The same of an order by one value. */
type ValueOfOne<Order, Type> = Order extends {
  kind: 'rank';
  weights: Readonly<Record<infer Label, number>>;
}
  ? Extract<Label, string>
  : Order extends { kind: 'derive' }
    ? string
    : ValueOfType<TypeOfOrder<Order, Type>>;

/** The type of an order's values: its own, or that of its search. */
type TypeOfOrder<Order, Type> = Order extends { kind: infer Own extends TypedOrder['kind'] } ? Own : Type;

/** The values of an attribute, or with `multiValue` those of its elements. */
type AttributeValueOf<A, Name, Each> = A extends unknown
  ? Name extends keyof A
    ? Each extends true
      ? ElementOf<NonNullable<A[Name]>>
      : Exclude<A[Name], undefined>
    : never
  : never;

type ElementOf<Value> = Value extends ReadonlySet<infer Element> | readonly (infer Element)[] ? Element : unknown;

/** The values that hits of an order show; the order is by the attribute `Name` where it names none. */
type FoundByOrder<A, Name, Order, Each> = Order extends { kind: 'derive' }
  ? string
  : Order extends { kind: 'rank'; weights: Readonly<Record<infer Label, number>> }
    ? Extract<Label, string>
    : Order extends { kind: TypedOrder['kind']; attribute: infer From }
      ? AttributeValueOf<A, From, Each>
      : AttributeValueOf<A, Order extends string ? Order : Name, Each>;

/** The members of a union of literal texts; any text for other types. A record of literals has to have them, one of patterns may be empty. */
export type MembersOf<Value> = [Value] extends [string]
  ? Record<never, never> extends Record<Value, unknown>
    ? string
    : Value
  : string;

/** The values of a search as arguments: of an attribute whose values are literals exactly these, unless they are folded. */
type ArgumentOf<Value, Found, Options> = string extends Value
  ? true extends Option<Options, 'caseInsensitive'>
    ? Value
    : Option<Options, 'type'> extends 'date'
      ? Value
      : MembersOf<Found>
  : Value;

/** Which questions an order answers, by its values: a rank and a number have no beginnings. */
type KindOfOrder<Order, Type> = Order extends { kind: 'rank' }
  ? 'ordered'
  : Order extends { kind: 'derive' }
    ? 'text'
    : TypeOfOrder<Order, Type> extends 'number'
      ? 'ordered'
      : 'text';

/** A search of attributes `A` by its name and its entry in the options. */
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
      path: PathOf<A, Option<Entry, 'path'>, Option<Entry, 'caseInsensitive'>>;
      by: SearchedBy<A, Name, Option<Entry, 'attribute'>, Entry>;
    };

/** The leading segments of a path as arguments: of attributes whose values are literals exactly these, unless they are folded. */
type PathOf<A, Path, Folded> = true extends Folded
  ? readonly string[]
  : Path extends readonly string[]
    ? TextsOrLeading<{ readonly [Place in keyof Path]: MembersOf<AttributeValueOf<A, Path[Place], false>> }>
    : readonly string[];

/** Any texts where each of some values may be any text: a program may have made the list. */
type TextsOrLeading<Values extends readonly unknown[]> = { readonly [Place in keyof Values]: string } extends Values
  ? readonly string[]
  : Extract<Leading<Values>, readonly string[]>;

/** The leading values of a list, as many as are given. */
export type Leading<Values> = Values extends readonly [infer First, ...infer Others]
  ? readonly [] | readonly [First, ...Leading<Others>]
  : Values extends readonly []
    ? readonly []
    : Values extends readonly (infer Value)[]
      ? readonly Value[]
      : never;

/** The attributes that a search is by; none where an item of it has one of several values, or a computed one. */
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

/** The types that `part` makes of its options. */
export interface PartTypesOf<F extends Fields, Searches, View> {
  input: InputOf<F>;
  output: AttributesOf<F>;
  searches: { [Name in keyof Searches]: SearchOf<AttributesOf<F>, Name, Searches[Name]> };
  view: Copied<AttributesOf<F>, View, 'ALL'>;
}

/** The types of parts, by name. */
type TypesOfParts<Parts> = {
  [P in keyof Parts]: Parts[P] extends { readonly types?: infer Types } ? NonNullable<Types> : never;
};

/** The names of the parts' searches among those of the node: `'STATE.status'`. */
type PartSearchName<Parts> = {
  [P in Extract<keyof Parts, string>]: Parts[P] extends { searches: infer Searches }
    ? `${P}.${Extract<keyof Searches, string>}`
    : never;
}[Extract<keyof Parts, string>];

/** The searches of parts, by those names. */
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

/** The labels of an `edgeSet` option, by their names, each with the attribute that it has its values from. */
type LabelsFrom<EdgeSet> = EdgeSet extends false
  ? Record<never, never>
  : EdgeSet extends readonly (infer Name)[]
    ? { [Label in Extract<Name, string>]: Label }
    : EdgeSet;

/** The values of labels, by their names. */
type LabelsOf<A, From> = {
  [Label in Extract<keyof From, string>]: From[Label] extends string ? AttributeValueOf<A, From[Label], false> : string;
};

/** The values of labels as arguments: those that `fields` declares, or that a rank of the same attribute does. */
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

/** The labels of the ranks of an attribute. */
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

/** The whole values of an order as arguments, those of an order by several values as a list. */
type WholeOfOrder<A, Order> = Order extends readonly unknown[]
  ? { readonly [Place in keyof Order]: WholeOfOne<A, Order[Place]> }
  : WholeOfOne<A, Order>;

/** The same of an order by one value. */
type WholeOfOne<A, Order> = Order extends string
  ? MembersOf<AttributeValueOf<A, Order, false>>
  : Order extends SourceValue
    ? Order
    : ValueOfOne<Order, 'string'>;

/** The values that a key holds as they were written: no date, which is converted, and no computed text. */
type KeptInKey<Entry> = Exclude<
  Entry extends readonly (infer Part)[] ? Part : Entry,
  { readonly kind: 'date' } | { readonly kind: 'derive' }
>;

/** The attribute of the edge that one value of an order names. */
type NameOfEdge<Part> = Part extends string
  ? Part
  : Part extends { readonly kind: 'rank' | 'number'; readonly attribute: infer Name extends string }
    ? Name
    : never;

/** The attribute of the source node that one value of an order, or a partition, names. */
type NameOfSource<Part> =
  Part extends SourceValue<infer Name>
    ? Name
    : Part extends { readonly attribute: SourceValue<infer Name> }
      ? Name
      : never;

/** The same of an order by several values. */
type NamesOfSource<Entry> = Entry extends readonly (infer Part)[] ? NameOfSource<Part> : NameOfSource<Entry>;

/** The attributes of the source node that an order takes as numbers. */
type NumbersOfSource<Entry> = NamesOfSource<
  Extract<Entry extends readonly (infer Part)[] ? Part : Entry, { readonly kind: 'number' }>
>;

/** The orders of an `inbound` option, by their names. */
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
  labelled: LabelledBy<AttributesOf<F>, LabelsFrom<EdgeSet>, OrdersIn<Inbound>[keyof OrdersIn<Inbound>]>;
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
  totalled:
    | ([TotalsOf<AttributesOf<F>, Inbound>] extends [never] ? never : To)
    | ([TotalsOf<AttributesOf<F>, Outgoing>] extends [never] ? never : From);
  copy: Copy;
}
