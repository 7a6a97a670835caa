import type { CountResult } from './lists/count.ts';
import type { SearchPredicate, SearchQuery, SearchScope } from './lists/search.ts';
import type { OrderValue } from './request/order-argument.ts';
import type { Page } from './request/result.ts';

/**
 * One search. Results are in the order of the values, ties by node id; a node is found once for each of its values
 * where the search has `each`. `eq` asks one shard (all, where the model spreads by source); everything else asks all
 * shards and merges: with 200 shards that is 100 read units even where nothing is found.
 */
export interface Search<Result> {
  /** Any predicate; the methods below are short for it. */
  find(predicate: SearchPredicate, options?: SearchQuery): Promise<Page<Result>>;
  /** Exactly this value. */
  eq(value: OrderValue, options?: SearchQuery): Promise<Page<Result>>;
  /** Texts that begin with this one; of dates, UTC dates such as those of `2020-07`. Not for numbers and ranks. */
  beginsWith(prefix: string, options?: SearchQuery): Promise<Page<Result>>;
  /**
   * Of a search by path: paths that begin with these whole segments, so that `['CA', 'San']` finds nothing of San Jose. A
   * whole path asks one shard, as `eq` does.
   *
   * @example
   * await reader.search('STORE.location').path(['CA', 'San Jose'], { partition: 'US' });
   */
  path(segments: readonly string[], options?: SearchQuery): Promise<Page<Result>>;
  /** Values from `from` to `to`, both inclusive, either may be undefined. */
  between(from?: OrderValue, to?: OrderValue, options?: SearchQuery): Promise<Page<Result>>;
  /** Every value, the highest first. */
  latest(options?: Omit<SearchQuery, 'reverse'>): Promise<Page<Result>>;
  /** Every value. */
  all(options?: SearchQuery): Promise<Page<Result>>;
  /**
   * How many hits there are, summed over the shards. DynamoDB counts, so a base item that has this search's index key
   * as an attribute of its own is counted too.
   */
  count(predicate?: SearchPredicate, scope?: SearchScope): Promise<CountResult>;
}
