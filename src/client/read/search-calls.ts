import type { CompiledModel } from '../../core/model/compiled.ts';
import type { OpenSearch, SearchTypes } from '../../core/model/declared.ts';
import { checkOptions } from '../../foundation/options.ts';
import { type CountResult, type CountScope, countSearch } from './lists/count-search.ts';
import { readSearch } from './lists/search-list.ts';
import {
  type PathPredicate,
  SEARCH_QUERY_OPTIONS,
  type SearchPredicate,
  type SearchQuery,
  type ValuesBetween,
  type Without,
} from './lists/search-query.ts';
import { findSearch } from './request/lookup.ts';
import type { EveryReadOptions, ReadContext } from './request/read-context.ts';
import type { Page } from './request/result.ts';

/** A search's options as the last argument. */
export type Scoped<T extends SearchTypes, Options> = OptionsWithin<T['partition'], Options>;

/** Options as the last argument, required if the model declares a partition. */
export type OptionsWithin<Partition, Options> = [Partition] extends [true]
  ? [options: Options & InPartition]
  : [Partition] extends [false]
    ? [options?: Options & NoPartition]
    : [options?: Options];

/** Options of a list that has a partition attribute. */
export interface InPartition {
  partition: string;
}

/** Options of a list that has no partition attribute. */
export interface NoPartition {
  partition?: undefined;
}

/** Optional arguments, followed by options that may be required. */
export type Optional<T extends SearchTypes, Arguments extends unknown[], Options> = [T['partition']] extends [true]
  ? [...{ [I in keyof Arguments]: Arguments[I] | undefined }, ...Scoped<T, Options>]
  : [...Partial<Arguments>, ...Scoped<T, Options>];

export type EqualTo<Value> = { equals: Value } & Without<'beginsWith' | 'path' | 'between'>;

/** An end of a range. In a search by strings, it may be any string, not only a declared value. */
export type RangeEnd<T extends SearchTypes> = T['kind'] extends 'text' ? string : T['value'];

export type ValueRange<End> = ValuesBetween<End> & Without<'equals' | 'beginsWith' | 'path'>;

/** A predicate for a prefix of a string. */
export type BeginningWith = { beginsWith: string } & Without<'equals' | 'path' | 'between'>;

export interface Predicates<T extends SearchTypes> {
  equality: EqualTo<T['value']>;
  ordered: EqualTo<T['value']> | ValueRange<T['value']>;
  text: EqualTo<T['value']> | ValueRange<string> | BeginningWith;
  path: PathPredicate<T['path']> | Without<'equals' | 'beginsWith' | 'path' | 'between'>;
  any: SearchPredicate;
}

/** The predicates that a search takes. */
export type Predicate<T extends SearchTypes> = Predicates<T>[T['kind']];

/** Options of a search, with filters by the attributes of its results. */
export type QueryOf<Result, By> = SearchQuery<
  Result extends { attributes: infer Attributes } ? Attributes & By : Record<string, unknown>
>;

/** The methods of every search. */
export interface CommonSearch<Result, T extends SearchTypes> {
  /** Finds hits by any predicate. Methods such as `equals` are shorthand for it. */
  find(predicate: Predicate<T>, ...options: Scoped<T, QueryOf<Result, T['by']>>): Promise<Page<Result>>;
  /** Counts the hits. Sets `truncated` if it stopped at `maxRcu`. */
  count(
    ...options: T['kind'] extends 'equality'
      ? [predicate: Predicate<T>, ...Scoped<T, CountScope>]
      : Optional<T, [predicate: Predicate<T>], CountScope>
  ): Promise<CountResult>;
}

/** A search by one value. */
export interface EqualitySearch<Result, T extends SearchTypes> extends CommonSearch<Result, T> {
  /** Finds hits with exactly this value. */
  equals(value: T['value'], ...options: Scoped<T, QueryOf<Result, T['by']>>): Promise<Page<Result>>;
}

/** A search that can list the hits of every value. */
export interface ListedSearch<Result, T extends SearchTypes> extends CommonSearch<Result, T> {
  /** If `form` is `'value'`, `capacity` wraps the result as `{ value, capacity }` instead of adding a field. */
  latest(...options: Scoped<T, Omit<QueryOf<Result, T['by']>, 'reverse'>>): Promise<Page<Result>>;
  /** Lists hits of every value. */
  all(...options: Scoped<T, QueryOf<Result, T['by']>>): Promise<Page<Result>>;
}

/** A search by one value or a range. */
export interface OrderedSearch<Result, T extends SearchTypes>
  extends EqualitySearch<Result, T>,
    ListedSearch<Result, T> {
  /**
   * Finds hits in a range. Both ends are inclusive; undefined or null leaves an end open. If `high` is a date without a
   * time, its whole day in UTC is included.
   */
  between(
    ...options: Optional<T, [low: RangeEnd<T> | null, high: RangeEnd<T> | null], QueryOf<Result, T['by']>>
  ): Promise<Page<Result>>;
}

/** A search by strings or dates. */
export interface TextSearch<Result, T extends SearchTypes> extends OrderedSearch<Result, T> {
  /** Finds strings with this prefix, or UTC dates that begin with a prefix such as `2020-07`. */
  beginsWith(prefix: string, ...options: Scoped<T, QueryOf<Result, T['by']>>): Promise<Page<Result>>;
}

/** A search by path. */
export interface PathSearch<Result, T extends SearchTypes> extends ListedSearch<Result, T> {
  /** Finds paths that begin with these whole segments: `['CA', 'San']` doesn't match San Jose. */
  path(segments: T['path'], ...options: Scoped<T, QueryOf<Result, T['by']>>): Promise<Page<Result>>;
}

/** A search whose name is unknown at compile time, with all methods. */
export interface AnySearch<Result, T extends SearchTypes> extends TextSearch<Result, T>, PathSearch<Result, T> {}

export interface SearchesOfKinds<Result, T extends SearchTypes> {
  text: TextSearch<Result, T>;
  ordered: OrderedSearch<Result, T>;
  equality: EqualitySearch<Result, T>;
  path: PathSearch<Result, T>;
  any: AnySearch<Result, T>;
}

/**
 * A search, with the methods that its order supports. Results are sorted by value, then by node id. `equals` and a
 * whole `path` query one shard (all, if the model spreads by source). Other methods query all: 200 shards cost 100 read
 * units even without hits.
 */
export type Search<Result, T extends SearchTypes = OpenSearch> = SearchesOfKinds<Result, T>[T['kind']];

/** With the form `'value'`, `capacity` wraps the result as `{ value, capacity }` instead of adding a field. */
export type Reading = <T>(
  options: EveryReadOptions | undefined,
  read: (context: ReadContext) => Promise<T>,
  form?: 'value',
) => Promise<T>;

export function searchOf<Result>(graph: CompiledModel, name: string, held: Reading): Search<Result> {
  const search = findSearch(graph, name);
  const find: Search<Result>['find'] = (predicate, options) =>
    held(options, (context) => readSearch(context, search, predicate, options) as Promise<Page<Result>>);
  return {
    find,
    equals: (value, options) => find({ equals: value }, options),
    beginsWith: (prefix, options) => find({ beginsWith: prefix }, options),
    path: (segments, options) => find({ path: segments }, options),
    between: (low, high, options) => find({ between: [low, high] }, options),
    latest: (options) => {
      const { reverse: _, ...known } = SEARCH_QUERY_OPTIONS;
      checkOptions<Omit<SearchQuery, 'reverse'>>('latest', options, known);
      return find({}, { ...options, reverse: true });
    },
    all: (options) => find({}, options),
    count: (predicate = {}, scope = {}) => held(scope, (context) => countSearch(context, search, predicate, scope)),
  };
}
