import type { OptionNames } from '../../../foundation/options.ts';
import type { Between, OrderValue } from '../request/order-argument.ts';
import { type EveryReadOptions, READ_OPTIONS } from '../request/read-context.ts';
import { FILTER_OPTIONS, type FilterOptions } from './filter.ts';

/**
 * Chooses incoming edges and their order, by at most one of `equals`, `atLeast`, `path`, `beginsWith` and `between`. In
 * an order by several values, `beginsWith` or `between` may follow `path` and applies to the next value.
 */
export interface InboundQuery<
  OrderName extends string = string,
  Value = OrderValue,
  HasTarget = boolean,
  Attributes = Record<string, unknown>,
  Path = readonly OrderValue[],
  Whole = Value,
  Part = OrderValue,
> extends FilterOptions<Attributes>,
    EveryReadOptions {
  /** One of the edge type's orders. Default: the first one declared. */
  order?: OrderName | undefined;
  /** In an order by rank, labels of at least this label's weight; otherwise, values from this one on. */
  atLeast?: Value | undefined;
  /** In an order by rank, a label; otherwise, a value. */
  equals?: Whole | undefined;
  /** One or more leading values of an order by several values. */
  path?: Path | undefined;
  /** A prefix of a string, or of a UTC date such as `2020-07`. */
  beginsWith?: BeginningOf<Value> | undefined;
  /** Value of the partition attribute. Required if the model declares one, and refused otherwise. */
  partition?: string | undefined;
  /**
   * Lowest and highest value, both inclusive; undefined or null leaves an end open. A highest value that is a date
   * without a time includes the whole day in UTC.
   */
  between?: Between<Value | Part> | undefined;
  /** Sort in descending order. Default: false. */
  reverse?: boolean | undefined;
  /**
   * Also returns the target node, on the first page. Takes a second read unless `reverse` is set, the list has no upper
   * end and no `where`, and the target's type declares `view`. Throws `not-declared` if the model doesn't set
   * `includeTarget` under the edge type's `inbound`. Default: false.
   */
  includeTarget?: HasTarget | undefined;
  /** Edges per page, at least 1. Default: 100. */
  limit?: number | undefined;
  /** The previous page's `cursor`. An edge whose value changes between two pages may appear twice or not at all. */
  cursor?: string | undefined;
  /** `true` is refused, because DynamoDB can't read a global secondary index consistently. */
  consistent?: boolean | undefined;
}

/** Ranks and numbers have no prefixes. `never` stands for an order by several values, whose types aren't known here. */
type BeginningOf<Value> = [Value] extends [never] ? string : string extends Value ? string : never;

/** An inbound query with at most one predicate. */
export type OneQuestion<KnownOrder extends string, Query> = string extends KnownOrder
  ? Query
  : Query &
      (
        | WithoutOthers<'equals'>
        | WithoutOthers<'atLeast'>
        | WithoutOthers<'path' | 'between'>
        | WithoutOthers<'path' | 'beginsWith'>
      );

type WithoutOthers<Name extends InboundPredicate> = { readonly [Other in Exclude<InboundPredicate, Name>]?: undefined };

type InboundPredicate = 'equals' | 'atLeast' | 'path' | 'beginsWith' | 'between';

export const EDGE_CHOICE_OPTIONS = {
  order: true,
  atLeast: true,
  equals: true,
  path: true,
  beginsWith: true,
  partition: true,
  between: true,
} as const satisfies Partial<OptionNames<InboundQuery>>;

export const INBOUND_QUERY_OPTIONS: OptionNames<InboundQuery> = {
  ...EDGE_CHOICE_OPTIONS,
  reverse: 'boolean',
  includeTarget: 'boolean',
  limit: 'checked',
  cursor: true,
  consistent: 'boolean',
  ...READ_OPTIONS,
  ...FILTER_OPTIONS,
};
