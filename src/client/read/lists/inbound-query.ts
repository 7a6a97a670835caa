import type { OptionNames } from '../../../foundation/options.ts';
import type { Between, OrderValue } from '../request/order-argument.ts';
import { type EveryReadOptions, READ_OPTIONS } from '../request/read-context.ts';
import { FILTER_OPTIONS, type FilterOptions } from './filter.ts';

/**
 * Which incoming edges to list, and in which order: at most one of `equals`, `atLeast`, `path`, `beginsWith` and `between`. In an order by
 * several values, `beginsWith` and `between` apply to the value after `path`.
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
  /** With a rank: every label with at least this label's weight. Without: every value from this one on. */
  atLeast?: Value | undefined;
  /** With a rank: this label. Otherwise: this value. */
  equals?: Whole | undefined;
  /** With an order by several values: one or more leading values. */
  path?: Path | undefined;
  /** A prefix of a string, or of a UTC date such as `2020-07`. */
  beginsWith?: BeginningOf<Value> | undefined;
  /** The value of the attribute that the model's `partition` names. Required if it names one. */
  partition?: string | undefined;
  /**
   * Lowest and highest value, both inclusive. Either may be undefined or null. A date without a time as the highest value includes the
   * whole day in UTC.
   */
  between?: Between<Value | Part> | undefined;
  /** Sort in descending order. Default: false. */
  reverse?: boolean | undefined;
  /**
   * Also returns the target node, on the first page. Throws `no-target`. Takes a second read unless in reverse without an upper end and
   * `where`. Default: false.
   */
  includeTarget?: HasTarget | undefined;
  /** Edges per page, at least 1. Default: 100. */
  limit?: number | undefined;
  /** The previous page's `cursor`. An edge whose value changes between two pages may appear twice or not at all. */
  cursor?: string | undefined;
  /** `true` is refused: DynamoDB has no consistent reads of an index. */
  consistent?: boolean | undefined;
}

/** Ranks and numbers have no prefixes. For an order by several values, the types of the values aren't known here. */
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
