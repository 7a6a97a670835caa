import type { IndexName } from '../items/derived-item.ts';
import type { ValueType } from '../items/encoding.ts';
import type { ExactNumber } from '../items/plain.ts';
import type { INBOUND_OPTIONS, SEARCH_OPTIONS } from './options/option-tables.ts';
import type { OptionNeedingKeys } from './options/option-works.ts';
import type {
  AttributesOf,
  Derive,
  Fields,
  InputOf,
  NameOf,
  Order,
  Rank,
  SourceValue,
  Sum,
  TypedOrder,
} from './order.ts';

/**
 * The options of a model as they are given, checked by the compiler. An option that is right has its own type; a mistaken one has a
 * type that it is not assignable to, and whose text the compiler shows at its place: the names that there are, a sentence, or both.
 */

/** A mistake in a model, and the words that there are instead. No value has this type. */
export interface Mistake<Sentence extends string, Words extends string> {
  readonly mistake: Sentence;
  readonly words: Words;
}

/**
 * The options themselves if nothing is wrong, or their mistakes alone: the compiler shows no more than these. An editor also
 * offers the names of `Known` while they are written.
 */
export type Checked<Given, Wanted, Known> = [Given] extends [Wanted] ? Given | Known : Wanted;

/** The types of an attribute's values; of a union of shapes, those of each. */
type ValueOf<A, Name> = A extends unknown ? (Name extends keyof A ? A[Name] : never) : never;

type Numeric = number | bigint | ExactNumber;

/** The values that an option does not take; never where they are not known. */
type Wrong<Value, Taken> = unknown extends Value ? never : Exclude<Value, Taken | undefined>;

/** The names of attributes whose values an option takes, or are not known. */
type NameWith<A, Taken> =
  string extends NameOf<A>
    ? string
    : { [Name in NameOf<A>]: [Wrong<ValueOf<A, Name>, Taken>] extends [never] ? Name : never }[NameOf<A>];

/** A kind of values in words. */
type KindOf<Value> = Value extends string
  ? 'a text'
  : Value extends Numeric
    ? 'a number'
    : Value extends boolean
      ? 'a boolean'
      : Value extends null
        ? 'null at times'
        : Value extends Date
          ? 'a Date'
          : Value extends Collection
            ? 'a list or set'
            : 'an object';

type Collection = readonly unknown[] | ReadonlySet<unknown>;

/** The remedies for values that an order does not take, by their kinds. */
interface Remedies<ForNumber extends string, ForList extends string> {
  'a text': 'take it as a text, without number';
  'a number': ForNumber;
  'a boolean': 'make a text of it with derive(...)';
  'null at times': 'make it optional in fields instead of nullable';
  'a Date': 'make it an ISO 8601 text in fields, and take it as a date';
  'a list or set': ForList;
  'an object': 'make a text of it with derive(...)';
}

type SearchRemedies = Remedies<"give type: 'number'", 'give multiValue: true'>;
type OrderRemedies<Name extends string> = Remedies<`order by number('${Name}')`, 'make a text of it with derive(...)'>;

/** A sentence for each kind of values that is wrong; never if none is. */
type Sentence<Name extends string, Value, Remedy> = Value extends unknown
  ? `${Name} is ${KindOf<Value>}: ${Remedy[KindOf<Value> & keyof Remedy] & string}`
  : never;

/** The values that an order of a type takes; any where the type is not known. */
type TakenBy<Type> = ValueType extends Type ? unknown : Type extends 'number' ? Numeric : string;

/** The mistakes of an order by an attribute; never if there are none. */
type ValueMistake<A, Name extends string, Type, Remedy> = Sentence<
  Name,
  Wrong<ValueOf<A, Name>, TakenBy<Type>>,
  Remedy
>;

/** The same of a search that has an item for each value of a list or set. */
type EachMistake<Name extends string, Value, Type> =
  | ([Wrong<Value, Collection>] extends [never]
      ? never
      : `${Name} is ${KindOf<Wrong<Value, Collection>>}: leave out multiValue`)
  | (Value extends readonly (infer Entry)[] | ReadonlySet<infer Entry>
      ? Sentence<`an entry of ${Name}`, Wrong<Entry, TakenBy<Type>>, SearchRemedies>
      : never);

/** The type of an order that gives none. */
type TypeIn<Given> = Given extends { readonly type: infer Type } ? Type : 'string';

/** The type of a mistaken value: the mistakes in words; the value itself where there are none. */
type Unless<Mistakes, Given> = [Mistakes] extends [never] ? Given : Mistakes;

/** An order by the name of an attribute. */
type CheckedName<A, Given extends string, Type, Remedy> =
  Given extends NameOf<A> ? Unless<ValueMistake<A, Given, Type, Remedy>, Given> : NameOf<A>;

/** A rank: its attribute, and a weight for each label that the attribute may have. */
type CheckedRank<A, Given> =
  Given extends Rank<infer Name extends string, infer Label>
    ? Name extends NameOf<A>
      ? Unless<RankMistake<Name, Label, Wrong<ValueOf<A, Name>, Label>>, Given>
      : Mistake<`${Name} is no attribute`, NameOf<A>>
    : Rank<NameOf<A>>;

type RankMistake<Name extends string, Label extends string, Value> = [Value] extends [never]
  ? never
  : [Value] extends [string]
    ? string extends Value | Label
      ? never
      : Mistake<`the rank of ${Name} lacks a weight`, Value>
    : `${Name} is ${KindOf<Exclude<Value, string>>}: a rank is of texts`;

/** A derive: the attributes that its function names. */
type CheckedDerive<A, Given> =
  Given extends Derive<A>
    ? Given
    : Given extends { readonly compute: (attributes: infer Read, ...rest: never) => unknown }
      ? [Exclude<NameOf<Read>, NameOf<A>>] extends [never]
        ? 'derive reads an attribute as another type than its fields give'
        : Mistake<`${Exclude<NameOf<Read>, NameOf<A>>} is no attribute`, NameOf<A>>
      : Derive<A>;

type CheckedKind<A, Given> = Given extends { readonly kind: 'rank' }
  ? CheckedRank<A, Given>
  : Given extends { readonly kind: TypedOrder['kind'] }
    ? CheckedTyped<A, Given>
    : CheckedDerive<A, Given>;

/** A date or number: its attribute, and the values of that. */
type CheckedTyped<A, Given> =
  Given extends TypedOrder<infer Name extends string, infer Type>
    ? Name extends NameOf<A>
      ? Unless<ValueMistake<A, Name, Type, OrderRemedies<Name>>, Given>
      : TypedOrder<NameOf<A>, Type>
    : TypedOrder<NameOf<A>>;

/** The type of an option that a native projection cannot have. */
type WithoutNative = 'needs keys that are derived: leave it out, or leave out native';

/** An option as a native projection may have it, by what the table of its options says; `Taken` for all others. */
type BesideNative<Table, Name, Given, Taken> = Given extends { readonly native: true }
  ? Name extends OptionNeedingKeys<Table>
    ? false | (Table[Name] extends { readonly nativeValue: infer Value } ? Value : never) | WithoutNative
    : Taken
  : Taken;

/** The options by their names; a name that is none is a mistake at its place. */
type CheckedOptions<Known, Given> = {
  readonly [Name in keyof Given]: Name extends keyof Known
    ? BesideNative<typeof SEARCH_OPTIONS, Name, Given, Known[Name]>
    : Mistake<
        `${Extract<Name, string>} is no option`,
        { [Option in keyof Known]-?: Extract<Option, string> }[keyof Known]
      >;
};

/** The options of a search, with the names and orders that they take. */
type KnownSearch<A, Options, From> = Omit<Options, 'attribute' | 'partition' | 'path'> & {
  readonly attribute?: From;
  readonly partition?: NameWith<A, string>;
  readonly path?: readonly NameWith<A, string>[];
};

/** The searches as they are given; only one named after an attribute may leave out where its value comes from. */
export type CheckedSearches<A, Given, Options> = {
  readonly [Name in keyof Given]: string extends Name
    ? Options | Order<A>
    : CheckedSearch<A, Extract<Name, string>, Given[Name], Options>;
};

type CheckedSearch<A, Name extends string, Given, Options> = Given extends string
  ? CheckedName<A, Given, 'string', OrderRemedies<Given>>
  : Given extends { readonly kind: unknown }
    ? CheckedKind<A, Given>
    : Given extends { readonly path: unknown }
      ? CheckedOptions<KnownSearch<A, Options, Order<A>>, Given>
      : Given extends { readonly attribute: infer From }
        ? CheckedSearchFrom<A, From, Given, Options>
        : Given extends object
          ? Name extends NameOf<A>
            ? SearchBy<A, Name, TypeIn<Given>, Given, KnownSearch<A, Options, Order<A>>>
            : Mistake<`${Name} is no attribute: name one with attribute or path`, NameOf<A>>
          : NameOf<A>;

type CheckedSearchFrom<A, From, Given, Options> = From extends string
  ? From extends NameOf<A>
    ? SearchBy<A, From, TypeIn<Given>, Given, KnownSearch<A, Options, From>>
    : CheckedOptions<KnownSearch<A, Options, NameOf<A>>, Given>
  : From extends { readonly kind: unknown }
    ? CheckedOptions<KnownSearch<A, Options, CheckedKind<A, From>>, Given>
    : CheckedOptions<KnownSearch<A, Options, NameOf<A>>, Given>;

/** A search by an attribute that there is: the mistake of its values, or its options. */
type SearchBy<A, Name extends string, Type, Given, Known> = Unless<
  SearchMistake<A, Name, Type, Given>,
  CheckedOptions<Known, Given>
>;

type SearchMistake<A, Name extends string, Type, Given> = Given extends { readonly multiValue: infer Each }
  ? Each extends true
    ? EachMistake<Name, Wrong<ValueOf<A, Name>, never>, Type>
    : ValueMistake<A, Name, Type, SearchRemedies>
  : ValueMistake<A, Name, Type, SearchRemedies>;

/** The entries of `inbound` as they are given, checked by their names. */
export type CheckedInbound<A, Given, Options> = {
  readonly [Name in keyof Given]: string extends Name
    ? Given[Name]
    : Name extends 'orders'
      ? CheckedOrders<A, Given[Name]>
      : Name extends 'total'
        ? CheckedTotal<A, Given[Name]>
        : Name extends 'groupBy'
          ? CheckedGroups<A, Given[Name]>
          : Name extends 'partition'
            ? BesideNative<typeof INBOUND_OPTIONS, Name, Given, NameWith<A, string> | SourceValue>
            : Name extends keyof Options
              ? BesideNative<typeof INBOUND_OPTIONS, Name, Given, Options[Name]>
              : Mistake<
                  `${Extract<Name, string>} is no option`,
                  { [Option in keyof Options]-?: Extract<Option, string> }[keyof Options]
                >;
};

/** The orders as they are given, by their names. */
type CheckedOrders<A, Given> = {
  readonly [Name in keyof Given]: Name extends IndexName
    ? CheckedEdgeOrder<A, Given[Name]>
    : Name extends `gsi${number}`
      ? 'there are 20 indexes at most: give further orders names of their own'
      : CheckedEdgeOrder<A, Given[Name]>;
};

/** An order of edges as it is given: one value, or a list of them. */
type CheckedEdgeOrder<A, Given> = Given extends readonly unknown[]
  ? { readonly [Place in keyof Given]: CheckedEdgeValue<A, Given[Place]> }
  : CheckedEdgeValue<A, Given>;

type CheckedEdgeValue<A, Given> = Given extends string
  ? CheckedName<A, Given, 'string', OrderRemedies<Given>>
  : Given extends
        | { readonly kind: 'source' }
        | { readonly kind: 'rank' | TypedOrder['kind']; readonly attribute: SourceValue }
    ? Given
    : Given extends { readonly kind: unknown }
      ? CheckedKind<A, Given>
      : NameOf<A>;

/** The sums and groups of a total as they are given. */
export type CheckedTotals<A, Given> = {
  readonly [Name in keyof Given]: Name extends 'total'
    ? CheckedTotal<A, Given[Name]>
    : Name extends 'groupBy'
      ? CheckedGroups<A, Given[Name]>
      : Mistake<`${Extract<Name, string>} is no option`, 'total' | 'groupBy'>;
};

type CheckedTotal<A, Given> = {
  readonly [Name in keyof Given]: Given[Name] extends Sum<infer Summed>
    ? CheckedPart<A, Summed, Wrong<ValueOf<A, Summed>, Numeric>, 'a sum is of numbers', Given[Name]>
    : Sum<NameOf<A>>;
};

/** The grouped attributes as they are given. */
type CheckedGroups<A, Given> = Given extends readonly unknown[]
  ? { readonly [Place in keyof Given]: CheckedGroup<A, Given[Place]> }
  : readonly NameOf<A>[];

type CheckedGroup<A, Given> = Given extends string
  ? CheckedPart<
      A,
      Given,
      Wrong<ValueOf<A, Given>, Numeric | string | boolean>,
      'a group is of texts, numbers or booleans',
      Given
    >
  : NameOf<A>;

type CheckedPart<A, Name extends string, Value, Rule extends string, Given> =
  Name extends NameOf<A>
    ? Unless<[Value] extends [never] ? never : `${Name} is ${KindOf<Value>}: ${Rule}`, Given>
    : Mistake<`${Name} is no attribute`, NameOf<A>>;

/** The attributes that can be labels of an edge set. */
export type LabelName<A> = NameWith<A, Numeric | string | boolean | null | Uint8Array>;

/** The labels of an edge set as they are given: a list of names, or an object with names of their own. */
export type CheckedEdgeSet<A, Given> = Given extends readonly unknown[]
  ? readonly LabelName<A>[]
  : Given extends object
    ? {
        readonly [Label in keyof Given]: Given[Label] extends { readonly kind: unknown }
          ? CheckedDerive<A, Given[Label]>
          : LabelName<A>;
      }
    : false;

/** The attributes that can be a version: numbers that a new node may lack. */
export type VersionName<F extends Fields> = NoneOf<
  Extract<NameWith<AttributesOf<F>, Numeric>, OptionalName<InputOf<F>>>,
  'fields have no optional number, which a version is'
>;

type OptionalName<A> =
  string extends NameOf<A>
    ? string
    : { [Name in NameOf<A>]: undefined extends ValueOf<A, Name> ? Name : never }[NameOf<A>];

/** The names, or a sentence where there are none. */
type NoneOf<Names, Instead> = [Names] extends [never] ? Instead : Names;

/** The mistakes of orders by attributes of some source nodes `A`; never if there are none. A part's attribute, `STATE.rate`, is left to `defineGraph`. */
export type SourceMistake<A, Texts extends string, Numbers extends string> =
  | (Texts extends NameOf<A> ? Sentence<Texts, Wrong<ValueOf<A, Texts>, string>, SourceRemedies<Texts>> : never)
  | (Numbers extends NameOf<A>
      ? Sentence<Numbers, Wrong<ValueOf<A, Numbers>, Numeric>, SourceRemedies<Numbers>>
      : never);

type SourceRemedies<Name extends string> = Remedies<`order by number(source('${Name}'))`, 'name another attribute'>;
