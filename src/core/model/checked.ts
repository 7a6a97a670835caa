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

/** A mistaken option gets a type that it isn't assignable to, and the compiler shows that type's text. */

/** A mistake, with the names that are valid instead, or the labels that lack a weight. No value has this type. */
export interface TypeMistake<Sentence extends string, Words extends string> {
  readonly mistake: Sentence;
  readonly words: Words;
}

/**
 * Resolves to `Wanted` alone if `Given` has mistakes, so that the compiler shows only those. Editors complete the names
 * of `Known`.
 */
export type Checked<Given, Wanted, Known> = [Given] extends [Wanted] ? Given | Known : Wanted;

/** For a union of shapes, the union of the attribute's types. */
type ValueOf<A, Name> = A extends unknown ? (Name extends keyof A ? A[Name] : never) : never;

type Numeric = number | bigint | ExactNumber;

/** The types in `Value` that aren't accepted; never if `Value` is unknown. */
type Wrong<Value, Taken> = unknown extends Value ? never : Exclude<Value, Taken | undefined>;

type NameWith<A, Taken> =
  string extends NameOf<A>
    ? string
    : { [Name in NameOf<A>]: [Wrong<ValueOf<A, Name>, Taken>] extends [never] ? Name : never }[NameOf<A>];

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

type Sentence<Name extends string, Value, Remedy> = Value extends unknown
  ? `${Name} is ${KindOf<Value>}: ${Remedy[KindOf<Value> & keyof Remedy] & string}`
  : never;

type TakenBy<Type> = ValueType extends Type ? unknown : Type extends 'number' ? Numeric : string;

type ValueMistake<A, Name extends string, Type, Remedy> = Sentence<
  Name,
  Wrong<ValueOf<A, Name>, TakenBy<Type>>,
  Remedy
>;

/** Mistakes of a search with `multiValue`, which needs a list or set of valid entries. */
type EachMistake<Name extends string, Value, Type> =
  | ([Wrong<Value, Collection>] extends [never]
      ? never
      : `${Name} is ${KindOf<Wrong<Value, Collection>>}: leave out multiValue`)
  | (Value extends readonly (infer Entry)[] | ReadonlySet<infer Entry>
      ? Sentence<`an entry of ${Name}`, Wrong<Entry, TakenBy<Type>>, SearchRemedies>
      : never);

type TypeIn<Given> = Given extends { readonly type: infer Type } ? Type : 'string';

type Unless<Mistakes, Given> = [Mistakes] extends [never] ? Given : Mistakes;

type CheckedName<A, Given extends string, Type, Remedy> =
  Given extends NameOf<A> ? Unless<ValueMistake<A, Given, Type, Remedy>, Given> : NameOf<A>;

type CheckedRank<A, Given> =
  Given extends Rank<infer Name extends string, infer Label>
    ? Name extends NameOf<A>
      ? Unless<RankMistake<Name, Label, Wrong<ValueOf<A, Name>, Label>>, Given>
      : TypeMistake<`${Name} is no attribute`, NameOf<A>>
    : Rank<NameOf<A>>;

type RankMistake<Name extends string, Label extends string, Value> = [Value] extends [never]
  ? never
  : [Value] extends [string]
    ? string extends Value | Label
      ? never
      : TypeMistake<`the rank of ${Name} lacks a weight`, Value>
    : `${Name} is ${KindOf<Exclude<Value, string>>}: a rank is of texts`;

type CheckedDerive<A, Given> =
  Given extends Derive<A>
    ? Given
    : Given extends { readonly compute: (attributes: infer Read, ...rest: never) => unknown }
      ? [Exclude<NameOf<Read>, NameOf<A>>] extends [never]
        ? 'derive reads an attribute as another type than its fields give'
        : TypeMistake<`${Exclude<NameOf<Read>, NameOf<A>>} is no attribute`, NameOf<A>>
      : Derive<A>;

type CheckedKind<A, Given> = Given extends { readonly kind: 'rank' }
  ? CheckedRank<A, Given>
  : Given extends { readonly kind: TypedOrder['kind'] }
    ? CheckedTyped<A, Given>
    : CheckedDerive<A, Given>;

type CheckedTyped<A, Given> =
  Given extends TypedOrder<infer Name extends string, infer Type>
    ? Name extends NameOf<A>
      ? Unless<ValueMistake<A, Name, Type, OrderRemedies<Name>>, Given>
      : TypedOrder<NameOf<A>, Type>
    : TypedOrder<NameOf<A>>;

type WithoutNative = 'needs keys that are derived: leave it out, or leave out native';

/** The option table decides which options exclude `native: true`. */
type BesideNative<Table, Name, Given, Taken> = Given extends { readonly native: true }
  ? Name extends OptionNeedingKeys<Table>
    ? false | (Table[Name] extends { readonly nativeValue: infer Value } ? Value : never) | WithoutNative
    : Taken
  : Taken;

type CheckedOptions<Known, Given> = {
  readonly [Name in keyof Given]: Name extends keyof Known
    ? BesideNative<typeof SEARCH_OPTIONS, Name, Given, Known[Name]>
    : TypeMistake<
        `${Extract<Name, string>} is no option`,
        { [Option in keyof Known]-?: Extract<Option, string> }[keyof Known]
      >;
};

type KnownSearch<A, Options, From> = Omit<Options, 'attribute' | 'partition' | 'path'> & {
  readonly attribute?: From;
  readonly partition?: NameWith<A, string>;
  readonly path?: readonly NameWith<A, string>[];
};

/** The `search` option, checked. Only a search named after an attribute may omit the attribute to search by. */
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
            : TypeMistake<`${Name} is no attribute: name one with attribute or path`, NameOf<A>>
          : NameOf<A>;

type CheckedSearchFrom<A, From, Given, Options> = From extends string
  ? From extends NameOf<A>
    ? SearchBy<A, From, TypeIn<Given>, Given, KnownSearch<A, Options, From>>
    : CheckedOptions<KnownSearch<A, Options, NameOf<A>>, Given>
  : From extends { readonly kind: unknown }
    ? CheckedOptions<KnownSearch<A, Options, CheckedKind<A, From>>, Given>
    : CheckedOptions<KnownSearch<A, Options, NameOf<A>>, Given>;

type SearchBy<A, Name extends string, Type, Given, Known> = Unless<
  SearchMistake<A, Name, Type, Given>,
  CheckedOptions<Known, Given>
>;

type SearchMistake<A, Name extends string, Type, Given> = Given extends { readonly multiValue: infer Each }
  ? Each extends true
    ? EachMistake<Name, Wrong<ValueOf<A, Name>, never>, Type>
    : ValueMistake<A, Name, Type, SearchRemedies>
  : ValueMistake<A, Name, Type, SearchRemedies>;

/** The `inbound` option, checked by the name of each entry. */
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
              : TypeMistake<
                  `${Extract<Name, string>} is no option`,
                  { [Option in keyof Options]-?: Extract<Option, string> }[keyof Options]
                >;
};

type CheckedOrders<A, Given> = {
  readonly [Name in keyof Given]: Name extends IndexName
    ? CheckedEdgeOrder<A, Given[Name]>
    : Name extends `gsi${number}`
      ? 'there are 20 indexes at most: give further orders names of their own'
      : CheckedEdgeOrder<A, Given[Name]>;
};

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

/** The sums and groups of a total, checked. */
export type CheckedTotals<A, Given> = {
  readonly [Name in keyof Given]: Name extends 'total'
    ? CheckedTotal<A, Given[Name]>
    : Name extends 'groupBy'
      ? CheckedGroups<A, Given[Name]>
      : TypeMistake<`${Extract<Name, string>} is no option`, 'total' | 'groupBy'>;
};

type CheckedTotal<A, Given> = {
  readonly [Name in keyof Given]: Given[Name] extends Sum<infer Summed>
    ? CheckedPart<A, Summed, Wrong<ValueOf<A, Summed>, Numeric>, 'a sum is of numbers', Given[Name]>
    : Sum<NameOf<A>>;
};

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
    : TypeMistake<`${Name} is no attribute`, NameOf<A>>;

/** Attributes that can be labels of an edge set. */
export type LabelName<A> = NameWith<A, Numeric | string | boolean | null | Uint8Array>;

/** An edge set's labels, checked. */
export type CheckedEdgeSet<A, Given> = Given extends readonly unknown[]
  ? readonly LabelName<A>[]
  : Given extends object
    ? {
        readonly [Label in keyof Given]: Given[Label] extends { readonly kind: unknown }
          ? CheckedDerive<A, Given[Label]>
          : LabelName<A>;
      }
    : false;

/** Attributes that can hold a version: numbers that a new node may lack. */
export type VersionName<F extends Fields> = NoneOf<
  Extract<NameWith<AttributesOf<F>, Numeric>, OptionalName<InputOf<F>>>,
  'fields have no optional number, which a version is'
>;

type OptionalName<A> =
  string extends NameOf<A>
    ? string
    : { [Name in NameOf<A>]: undefined extends ValueOf<A, Name> ? Name : never }[NameOf<A>];

type NoneOf<Names, Instead> = [Names] extends [never] ? Instead : Names;

/** Leaves a part's attribute, such as `STATE.rate`, to `defineGraph`. */
export type SourceMistake<A, Texts extends string, Numbers extends string> =
  | (Texts extends NameOf<A> ? Sentence<Texts, Wrong<ValueOf<A, Texts>, string>, SourceRemedies<Texts>> : never)
  | (Numbers extends NameOf<A>
      ? Sentence<Numbers, Wrong<ValueOf<A, Numbers>, Numeric>, SourceRemedies<Numbers>>
      : never);

type SourceRemedies<Name extends string> = Remedies<`order by number(source('${Name}'))`, 'name another attribute'>;
