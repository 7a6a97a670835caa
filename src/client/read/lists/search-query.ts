import type { OptionNames } from '../../../foundation/options.ts';
import type { Between, OrderValue } from '../request/order-argument.ts';
import { type EveryReadOptions, READ_OPTIONS } from '../request/read-context.ts';
import { FILTER_OPTIONS, type FilterOptions } from './filter.ts';

/** Arguments that another argument excludes. */
export type Without<Name extends keyof typeof PREDICATES> = { readonly [N in Name]?: undefined };

/** A range of values; without `between`, all values. */
export interface ValuesBetween<Value> {
  /** Both ends are inclusive; undefined or null leaves an end open. */
  between?: Between<Value> | undefined;
}

/** Whole leading segments of a path, then optionally a prefix or range of the next segment. */
export type PathPredicate<Path = readonly string[]> =
  | ({ path: Path } & ValuesBetween<string> & Without<'equals' | 'beginsWith'>)
  | ({ path: Path; beginsWith: string } & Without<'equals' | 'between'>);

/** One value, a prefix, a range of values or, for a search by path, leading segments. */
export type SearchPredicate =
  | ({ equals: OrderValue } & Without<'beginsWith' | 'path' | 'between'>)
  | ({ beginsWith: string } & Without<'equals' | 'path' | 'between'>)
  | (ValuesBetween<OrderValue> & Without<'equals' | 'beginsWith' | 'path'>)
  | PathPredicate;

/** Options of `shards`. Searches and counts share them. */
export interface SearchScope extends EveryReadOptions {
  /** Value of the search's partition attribute. Required if the model declares one, and refused otherwise. */
  partition?: string | undefined;
  /** `true` is refused, because DynamoDB can't read a global secondary index consistently. */
  consistent?: boolean | undefined;
}

/** Options of `find` and of the other methods that list a search's hits. */
export interface SearchQuery<Attributes = Record<string, unknown>> extends SearchScope, FilterOptions<Attributes> {
  /** Sort in descending order. Default: false. */
  reverse?: boolean | undefined;
  /** Hits per page, at least 1. Default: 100. */
  limit?: number | undefined;
  /** The previous page's `cursor`. A hit whose value changes between two pages may appear twice or not at all. */
  cursor?: string | undefined;
}

export const SCOPE_OPTIONS: OptionNames<SearchScope> = { partition: true, consistent: 'boolean', ...READ_OPTIONS };
export const SEARCH_QUERY_OPTIONS: OptionNames<SearchQuery> = {
  ...SCOPE_OPTIONS,
  ...FILTER_OPTIONS,
  reverse: 'boolean',
  limit: 'checked',
  cursor: true,
};
export const PREDICATES = { equals: true, beginsWith: true, path: true, between: true } as const;
