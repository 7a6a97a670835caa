import type { ValueType } from '../items/encoding.ts';
import type { ExactNumber } from '../items/plain.ts';
import type { INBOUND_OPTIONS } from './options/option-tables.ts';
import type { AttributesOf, Fields, FromSource, InputOf, NameOf } from './order.ts';

/**
 * Types of the options of a node or edge type: the types that a definition carries from the model to writer
 * and reader. Options that are not known in detail, such as those of a variable, count as any that they may be.
 */

/** Numbers as arguments: none of these forms loses digits. A text is a decimal. */
type NumberValue = `${number}` | number | bigint | ExactNumber;

/** The arguments and results of a search. */
export interface SearchTypes {
  /** Which questions it answers: of texts, of other orders, of equality only, of the segments of a path; `any` is not known. */
  kind: 'text' | 'ordered' | 'equality' | 'path' | 'any';
  /** Its values as arguments: labels, texts or numbers. */
  value: string | NumberValue;
  /** Its values that `eq` takes: of an attribute with a choice of texts, these texts. */
  equal: string | NumberValue;
  /** The value that a hit was found by. */
  found: unknown;
  /** The attributes that its hits show. */
  shown: string;
  /** Whether it is asked for one value of its partition attribute. */
  partition: boolean;
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
  /** The attributes that the view shows. */
  view: string;
  /** The types of its parts, by name. */
  parts: object;
  /** Whether the type has a list. */
  list: boolean;
}

/** The types that an edge definition carries. */
export interface EdgeTypes {
  input: unknown;
  output: unknown;
  from: string;
  to: string;
  label: string;
  /** The values of each order as arguments, by the order's name. */
  orders: object;
  /** The attributes of the edge that its index items show. */
  shown: string;
  /** The attributes of the source node that its index items show. */
  shownOfSource: string;
  /** The attributes of the source node that the orders and the partition name. */
  namedOfSource: string;
  /** Whether the target is in the index partitions of its incoming edges. */
  owner: boolean;
  /** Whether its index items have a partition attribute, whose value queries name. */
  partition: boolean;
  /** Whether edge sets have the type. */
  inSet: boolean;
  /** Whether its edges are counted. */
  degree: boolean;
  /** The names of sums and groups of its totals; never: it has none. */
  totals: TotalNames;
  copy: string;
}

/** The names of the sums of a total, and its groups by their names, with the values that their attributes may have. */
export interface TotalNames {
  sums: string;
  groups: object;
}

/** The totals that an option declares over edges of attributes `A`; never if it declares none. */
type TotalsOf<A, Options> = true extends IsGiven<Options, 'total'> | IsGiven<Options, 'by'>
  ? {
      sums: Extract<keyof NonNullable<Option<Options, 'total'>>, string>;
      groups: GroupsOf<A, NonNullable<Option<Options, 'by'>>>;
    }
  : never;

/** The values of the groups' attributes, by the names of the groups. */
type GroupsOf<A, By> = {
  [Name in Extract<keyof By, string>]: By[Name] extends { readonly attribute: infer Attribute }
    ? ValueOf<A, Attribute>
    : unknown;
};

/** The values of an attribute, as they are stored: of each shape that attributes may have. */
type ValueOf<A, Name> = A extends unknown ? (Name extends keyof A ? Exclude<A[Name], undefined | null> : never) : never;

/** Options next to the orders of an `inbound` option. */
export type InboundSetting = keyof typeof INBOUND_OPTIONS;

/** An option's value; undefined where it is not given. */
type Option<Options, Name extends string> = Options extends { readonly [N in Name]?: infer Value }
  ? unknown extends Value
    ? undefined
    : Value
  : undefined;

/** Whether an option is given; boolean where that is not known. */
type IsGiven<Options, Name extends string> =
  Option<Options, Name> extends infer Value ? (Value extends undefined ? false : true) : never;

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
    : ValueOfType<Option<Order, 'type'> extends infer Own extends ValueType ? Own : Type>;

/** Which questions an order answers, by its values: a rank and a number have no beginnings. */
type KindOfOrder<Order, Type> = Order extends { kind: 'rank' }
  ? 'ordered'
  : Order extends { kind: 'derive' }
    ? 'text'
    : (Option<Order, 'type'> extends infer Own extends ValueType ? Own : Type) extends 'number'
      ? 'ordered'
      : 'text';

/** A search of attributes `A` by its name and its entry in the options. */
type SearchOf<A, Name, Entry> = Entry extends string | { kind: 'rank' | 'derive' }
  ? {
      kind: KindOfOrder<Entry, 'string'>;
      value: ValueOfOrder<Entry>;
      equal: EqualOf<A, Entry, ValueOfOrder<Entry>>;
      found: FoundBy<A, Entry>;
      shown: never;
      partition: false;
    }
  : {
      kind: Option<Entry, 'path'> extends readonly unknown[]
        ? 'path'
        : Option<Entry, 'shards'> extends 'value'
          ? 'equality'
          : KindOfOrder<Option<Entry, 'from'>, Option<Entry, 'type'>>;
      value: ValueOfOrder<Option<Entry, 'from'>, Option<Entry, 'type'>>;
      equal: true extends IsGiven<Entry, 'fold'>
        ? string
        : EqualOf<Elements<A, Entry>, From<Name, Entry>, ValueOfOrder<Option<Entry, 'from'>, Option<Entry, 'type'>>>;
      found: Option<Entry, 'path'> extends readonly unknown[]
        ? string[]
        : FoundBy<Elements<A, Entry>, From<Name, Entry>>;
      shown: Copied<A, Option<Entry, 'project'>, 'KEYS_ONLY'>;
      partition: IsGiven<Entry, 'partition'>;
    };

/** Where the value of a search comes from: the attribute of the search's name, if the entry does not say. */
type From<Name, Entry> = Option<Entry, 'from'> extends undefined ? Name : Option<Entry, 'from'>;

/** Attributes with the elements of lists and sets in their places, where an entry finds a node by each of them. */
type Elements<A, Entry> =
  Option<Entry, 'each'> extends true
    ? A extends unknown
      ? { [Name in keyof A]: Element<NonNullable<A[Name]>> }
      : never
    : A;

type Element<Value> = Value extends readonly (infer One)[] | ReadonlySet<infer One> ? One : unknown;

/** The value by which an order finds an item. */
type FoundBy<A, Order> = Order extends { kind: 'rank' | 'derive' }
  ? ValueOfOne<Order, 'string'>
  : ValueOf<A, Order extends { from: infer Name } ? Name : Order>;

/** The arguments that a value of an order can be equal to: the texts of its attribute, where these are known and the order is of texts. */
type EqualOf<A, Order, Value> = [Value] extends [string]
  ? Order extends { kind: 'rank' | 'derive' }
    ? Value
    : TextsOf<FoundBy<A, Order>, Value>
  : Value;

type TextsOf<Found, Value> = [Found] extends [string] ? ([Found] extends [never] ? Value : Found) : Value;

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
export interface NodeTypesOf<F extends Fields, Searches, View, List extends boolean, Parts> {
  input: InputOf<F>;
  output: AttributesOf<F>;
  searches: { [Name in keyof Searches]: SearchOf<AttributesOf<F>, Name, Searches[Name]> } & PartSearches<
    TypesOfParts<Parts>
  >;
  view: Copied<AttributesOf<F>, View, 'ALL'>;
  parts: TypesOfParts<Parts>;
  list: List;
}

/** The label names of an `edgeSet` option. */
export type LabelOf<EdgeSet> = EdgeSet extends false
  ? never
  : EdgeSet extends readonly (infer Name)[]
    ? Extract<Name, string>
    : Extract<keyof EdgeSet, string>;

/** The attribute of the source node that one value of an order, or a partition, names. */
type NameOfSource<Part> =
  Part extends FromSource<infer Name>
    ? Name
    : Part extends { readonly from: FromSource<infer Name> } | { readonly attribute: FromSource<infer Name> }
      ? Name
      : never;

/** The same of an order by several values. */
type NamesOfSource<Entry> = Entry extends readonly (infer Part)[] ? NameOfSource<Part> : NameOfSource<Entry>;

/** The types that `edge` infers from its options. */
export interface EdgeTypesOf<
  F extends Fields,
  From extends string,
  To extends string,
  EdgeSet,
  Inbound,
  Copy extends string,
  Degree extends boolean,
  Outgoing = Record<never, never>,
> {
  input: InputOf<F>;
  output: AttributesOf<F>;
  from: From;
  to: To;
  label: LabelOf<EdgeSet>;
  orders: { [Name in Exclude<keyof Inbound, InboundSetting>]: ValueOfOrder<Inbound[Name]> };
  shown: Copied<AttributesOf<F>, Option<Inbound, 'project'>, 'KEYS_ONLY'>;
  shownOfSource: Copied<Record<string, unknown>, Option<Inbound, 'projectSource'>, 'KEYS_ONLY'>;
  namedOfSource: NamesOfSource<Inbound[keyof Inbound]>;
  owner: Option<Inbound, 'includeOwner'> extends infer Owner extends boolean ? Owner : false;
  partition: IsGiven<Inbound, 'partition'>;
  inSet: EdgeSet extends false ? false : true;
  degree: Degree | ([TotalsOf<AttributesOf<F>, Outgoing>] extends [never] ? never : true);
  totals: TotalsOf<AttributesOf<F>, Inbound> | TotalsOf<AttributesOf<F>, Outgoing>;
  copy: Copy;
}
