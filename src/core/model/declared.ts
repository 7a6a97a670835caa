import type { ExactNumber } from '../items/plain.ts';
import type { TextFormName } from './options/option-tables.ts';
import type { AttributesOf, Fields, InputOf, NameOf, SourceValue, TypedOrder } from './order.ts';

/**
 * The types that a definition carries from the model to writer and reader. Options that aren't known in detail, such as
 * those of a variable, count as any they may be.
 */

/** Numbers as arguments: no form loses digits. A text is a decimal. */
export type NumberValue = `${number}` | number | bigint | ExactNumber;

/** A label's value as an argument; compared by its text, so `39` and `'39'` are equal. */
export type LabelValue = string | number | bigint | boolean | ExactNumber;

/** A search's arguments and results. */
export interface SearchTypes {
  /** Which questions it answers: of texts, of other orders, only equality, of a path's segments; `any`: unknown. */
  kind: 'text' | 'ordered' | 'equality' | 'path' | 'any';
  /** Its values as arguments: labels, texts or numbers. */
  value: string | NumberValue;
  /** The attribute values that its hits show. */
  found: unknown;
  /** The attributes that its hits show. */
  shown: string;
  /** True if queries name a value of its partition attribute. */
  partition: boolean;
  /** Leading segments of its path, as arguments. */
  path: readonly string[];
  /** The attributes it searches by, with their values; filters may compare them as well. */
  by: object;
}

/** A search of which nothing is known. */
export interface OpenSearch extends SearchTypes {
  kind: 'any';
}

/** The types that a part's definition carries. */
export interface PartTypes {
  input: unknown;
  output: unknown;
  /** Searches by name, without the part's name. */
  searches: object;
  /** The attributes that reads show. */
  view: string;
}

/** The types that a node type's definition carries. */
export interface NodeTypes {
  input: unknown;
  output: unknown;
  /** Searches by name, including those of its parts. */
  searches: object;
  /** The attributes that reads show: those of the view, or all if none is declared. */
  view: string;
  /** True if the node type asks for views: it shows attributes, or has parts. Edge sets need views as well. */
  viewed: boolean;
  /** The parts' types by name. */
  parts: object;
  /** True if the type has a list. */
  list: boolean;
  /** The version attribute; never if there is none. */
  version: string;
}

/** The types that an edge type's definition carries. */
export interface EdgeTypes {
  input: unknown;
  output: unknown;
  from: string;
  to: string;
  /** The values of each label in edge sets, by the label's name. */
  labels: object;
  /** The values of labels as arguments. */
  labelled: LabelValue;
  /** The values of each order as arguments, by the order's name. */
  orders: object;
  /**
   * The whole values of each order as arguments: those that `fields` declares; `SourceValue` for a source's attribute.
   */
  whole: object;
  /** Edge attributes in the keys of each order, by the order's name. */
  inKeys: object;
  /** The same for the source node. */
  inKeysOfSource: object;
  /** Edge attributes that its index items show. */
  shown: string;
  /** Source attributes that its index items show. */
  shownOfSource: string;
  /** Source attributes that the orders and the partition name. */
  namedOfSource: string;
  /** Those sorted as texts. */
  textsOfSource: string;
  /** Those sorted as numbers. */
  numbersOfSource: string;
  /** True if the target is in its incoming edges' index partitions. */
  includesTarget: boolean;
  /** True if its index items have a partition attribute, whose value queries name. */
  partition: boolean;
  /** True if edge sets have the type. */
  inSet: boolean;
  /** True if its edges are counted. */
  degree: boolean;
  /** The names of its totals' sums and groups; never if it has none. */
  totals: TotalNames;
  /** The node types that have these totals. */
  totalled: string;
  copy: string;
}

/** The names of a total's sums, and its groups by name with their attributes' values. */
export interface TotalNames {
  sums: string;
  groups: object;
}

/** The totals that an option declares over edges with attributes `A`; never if none. */
type TotalsOf<A, Options> = true extends IsGiven<Options, 'total'> | IsGiven<Options, 'groupBy'>
  ? {
      sums: Extract<keyof NonNullable<Option<Options, 'total'>>, string>;
      groups: GroupsOf<A, NonNullable<Option<Options, 'groupBy'>>>;
    }
  : never;

/** The grouped attributes' values, by name. */
type GroupsOf<A, GroupBy> = GroupBy extends readonly (infer Name)[]
  ? { [Grouped in Extract<Name, string>]: ValueOf<A, Grouped> }
  : Record<never, never>;

/** An attribute's stored values, for each shape of the attributes. */
type ValueOf<A, Name> = A extends unknown ? (Name extends keyof A ? Exclude<A[Name], undefined | null> : never) : never;

/** Undefined if the option isn't given. */
type Option<Options, Name extends string> = Options extends { readonly [N in Name]?: infer Value }
  ? unknown extends Value
    ? undefined
    : Value
  : undefined;

/** True if an option is given; boolean if unknown. */
type IsGiven<Options, Name extends string> =
  Option<Options, Name> extends infer Value
    ? Value extends undefined
      ? false
      : Options extends { readonly [N in Name]: unknown }
        ? true
        : boolean
    : never;

/** The names that `view` or `project` copies. */
type Copied<A, Option, Default> = Option extends undefined
  ? Copied<A, Default, 'KEYS_ONLY'>
  : Option extends 'ALL'
    ? NameOf<A>
    : Option extends readonly (infer Name)[]
      ? Extract<Name, string>
      : never;

/** Values of a type as arguments. */
type ValueOfType<Type> = Type extends 'number' ? NumberValue : string;

/** An order's values as arguments; a list for an order by several. `Type` applies if the order names none. */
type ValueOfOrder<Order, Type = 'string'> = Order extends readonly unknown[]
  ? { readonly [Place in keyof Order]: ValueOfOne<Order[Place], 'string'> }
  : ValueOfOne<Order, Type>;

/** The same for an order by one value. */
type ValueOfOne<Order, Type> = Order extends {
  kind: 'rank';
  weights: Readonly<Record<infer Label, number>>;
}
  ? Extract<Label, string>
  : Order extends { kind: 'derive' }
    ? string
    : ValueOfType<TypeOfOrder<Order, Type>>;

/** Its own type, or its search's. */
type TypeOfOrder<Order, Type> = Order extends { kind: infer Own extends TypedOrder['kind'] } ? Own : Type;

/** An attribute's values, or those of its elements with `multiValue`. */
type AttributeValueOf<A, Name, Each> = A extends unknown
  ? Name extends keyof A
    ? Each extends true
      ? ElementOf<NonNullable<A[Name]>>
      : Exclude<A[Name], undefined>
    : never
  : never;

type ElementOf<Value> = Value extends ReadonlySet<infer Element> | readonly (infer Element)[] ? Element : unknown;

/** The values that an order's hits show; the order is by attribute `Name` if it names none. */
type FoundByOrder<A, Name, Order, Each> = Order extends { kind: 'derive' }
  ? string
  : Order extends { kind: 'rank'; weights: Readonly<Record<infer Label, number>> }
    ? Extract<Label, string>
    : Order extends { kind: TypedOrder['kind']; attribute: infer From }
      ? AttributeValueOf<A, From, Each>
      : AttributeValueOf<A, Order extends string ? Order : Name, Each>;

/**
 * The members of a union of literals; any text for other types. A record of literals requires them; one of patterns may
 * be empty.
 */
export type MembersOf<Value> = [Value] extends [string]
  ? Record<never, never> extends Record<Value, unknown>
    ? string
    : Value
  : string;

/** True if an option gives texts a form: then a literal is found by other texts, too. */
type HasForm<Options> = true extends { [Name in TextFormName]: Option<Options, Name> }[TextFormName] ? true : false;

/** A search's values as arguments; for literals exactly these, unless texts have a form. */
type ArgumentOf<Value, Found, Options> = string extends Value
  ? true extends HasForm<Options>
    ? Value
    : Option<Options, 'type'> extends 'date'
      ? Value
      : MembersOf<Found>
  : Value;

/** Which questions an order answers: ranks and numbers have no prefixes. */
type KindOfOrder<Order, Type> = Order extends { kind: 'rank' }
  ? 'ordered'
  : Order extends { kind: 'derive' }
    ? 'text'
    : TypeOfOrder<Order, Type> extends 'number'
      ? 'ordered'
      : 'text';

/** A search of attributes `A`, by its name and its entry in the options. */
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

/** A path's leading segments as arguments; for literals exactly these, unless texts have a form. */
type PathOf<A, Path, Formed> = true extends Formed
  ? readonly string[]
  : Path extends readonly string[]
    ? TextsOrLeading<{ readonly [Place in keyof Path]: MembersOf<AttributeValueOf<A, Path[Place], false>> }>
    : readonly string[];

/** Any texts if every value may be any text: a program may have made the list. */
type TextsOrLeading<Values extends readonly unknown[]> = { readonly [Place in keyof Values]: string } extends Values
  ? readonly string[]
  : Extract<Leading<Values>, readonly string[]>;

/** One or more leading values of a list. */
export type Leading<Values> = Values extends readonly [infer First, ...infer Others]
  ? readonly [] | readonly [First, ...Leading<Others>]
  : Values extends readonly []
    ? readonly []
    : Values extends readonly (infer Value)[]
      ? readonly Value[]
      : never;

/** The attributes it searches by; none if an item has one of several values, or a computed one. */
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

/** Names of the parts' searches among the node's: `'STATE.status'`. */
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

/** The labels of an `edgeSet` option, each with the attribute it comes from. */
type LabelsFrom<EdgeSet> = EdgeSet extends false
  ? Record<never, never>
  : EdgeSet extends readonly (infer Name)[]
    ? { [Label in Extract<Name, string>]: Label }
    : EdgeSet;

type LabelsOf<A, From> = {
  [Label in Extract<keyof From, string>]: From[Label] extends string ? AttributeValueOf<A, From[Label], false> : string;
};

/** Label values as arguments: those that `fields`, or a rank of the same attribute, declares. */
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

/** The labels of an attribute's ranks. */
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

/** An order's whole values as arguments; a list for an order by several. */
type WholeOfOrder<A, Order> = Order extends readonly unknown[]
  ? { readonly [Place in keyof Order]: WholeOfOne<A, Order[Place]> }
  : WholeOfOne<A, Order>;

/** The same for an order by one value. */
type WholeOfOne<A, Order> = Order extends string
  ? MembersOf<AttributeValueOf<A, Order, false>>
  : Order extends SourceValue
    ? Order
    : ValueOfOne<Order, 'string'>;

/** Values that a key holds as written: no dates, which are converted, and no computed texts. */
type KeptInKey<Entry> = Exclude<
  Entry extends readonly (infer Part)[] ? Part : Entry,
  { readonly kind: 'date' } | { readonly kind: 'derive' }
>;

/** The edge attribute that a value of an order names. */
type NameOfEdge<Part> = Part extends string
  ? Part
  : Part extends { readonly kind: 'rank' | 'number'; readonly attribute: infer Name extends string }
    ? Name
    : never;

/** The source attribute that a value of an order, or a partition, names. */
type NameOfSource<Part> =
  Part extends SourceValue<infer Name>
    ? Name
    : Part extends { readonly attribute: SourceValue<infer Name> }
      ? Name
      : never;

/** The same for an order by several values. */
type NamesOfSource<Entry> = Entry extends readonly (infer Part)[] ? NameOfSource<Part> : NameOfSource<Entry>;

/** Source attributes that an order uses as numbers. */
type NumbersOfSource<Entry> = NamesOfSource<
  Extract<Entry extends readonly (infer Part)[] ? Part : Entry, { readonly kind: 'number' }>
>;

/** The orders of an `inbound` option, by name. */
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
