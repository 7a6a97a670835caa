import { EdgeloomError } from '../errors.ts';
import { exactNumber, type NumberReader } from '../items/plain.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { EdgeOrder, EdgeType, SearchName } from '../model/inference.ts';
import { checkOptions, checkStoreOptions } from '../options.ts';
import { type ReaderLeases, registryLeases } from '../registry/reader-lease.ts';
import type { ItemKey, Store } from '../store/port.ts';
import { type CountResult, countSearch, readShards, type ShardsResult } from './lists/count.ts';
import { type InboundQuery, readInbound } from './lists/inbound.ts';
import {
  readSearch,
  SEARCH_OPTIONS,
  type SearchPredicate,
  type SearchQuery,
  type SearchScope,
} from './lists/search.ts';
import { type DegreeOptions, readDegree } from './nodes/degree.ts';
import { type EdgesOptions, type HasOptions, hasEdge, readEdges } from './nodes/edges.ts';
import { type AttributeSelection, type GetOptions, readNodes } from './nodes/views.ts';
import { type PageOptions, type PageResult, readPage } from './page.ts';
import type { ReadContext } from './request/context.ts';
import type { CursorKey } from './request/cursor.ts';
import { findSearch } from './request/lookup.ts';
import type { OrderValue } from './request/order-argument.ts';
import type { InboundPage, Page } from './request/result.ts';
import type { EdgeOwner, Hit, InboundEdge, NodeOfId, PageNode, StoredEdge } from './types.ts';
import { type WaitOptions, waitForProjection } from './wait.ts';

/** Options of a reader. */
export interface ReaderOptions {
  /** The table. */
  store: Store;
  /** Secret that cursors are signed with (HMAC-SHA256). Default: cursors carry a checksum, which anyone can make. */
  cursorKey?: CursorKey | undefined;
  /** DynamoDB calls that one read has in flight at once, 1 and up. Default 32. */
  concurrency?: number | undefined;
  /** How number text becomes a JS value in results. Default: a number where that is exact, else an `ExactNumber`. */
  readNumber?: NumberReader | undefined;
  /** What this reader may use of what the table keeps. Default: what the table's registry says, read once in 30 s. */
  leases?: ReaderLeases | undefined;
}

/**
 * Reads the projections of a graph.
 *
 * Every method throws an `EdgeloomError` for arguments that the model does not declare (`unknown-type`,
 * `unknown-search`, `unknown-order`, `unknown-label`, ...; the hint names what it does), `invalid-cursor` for a cursor
 * that was altered or belongs elsewhere, `unknown-option` for a name that is none of a method's options, and a `StoreError`
 * where DynamoDB fails. Reads are eventually consistent unless asked otherwise. `consistent: true` reads the stored items as
 * their last writes left them: base items (`edges`, `has`, `get` with `attributes`) are what producers put, while derived
 * ones (edge sets, the attributes of a view, counts) are as the projector has brought them by then. Reads of an index
 * (`inbound`, `search`, `page`) refuse it.
 */
export interface Reader<G extends CompiledModel = CompiledModel> {
  /**
   * Nodes with their edge sets: one entry for each id, in that order; of an unknown one `attributes` is null and
   * `edgeSet` empty. One BatchGetItem for 100 views.
   *
   * Edge sets are sorted by type, then by target; an absent label is left out. An element that is no edge (corrupt
   * data) is left out too: the nightly check reports it.
   */
  get<const Id extends string, const Selection extends AttributeSelection | undefined = undefined>(
    ids: readonly Id[],
    options?: GetOptions<Selection>,
  ): Promise<NodeOfId<G, Id, Selection>[]>;

  /** Whether an edge exists: one GetItem of the base edge, so it needs no projection. */
  has(source: string, edgeType: EdgeType<G>, target: string, options?: HasOptions): Promise<boolean>;

  /**
   * How many outgoing edges of a type a node has: one GetItem of their count, or, where the type keeps none, of the view,
   * whose edge set is counted. Where the type was evicted from the set, the base edges are counted by a Query of them all.
   * Throws `not-counted` for a type that is in no edge set and keeps no count.
   */
  degree(source: string, edgeType: EdgeType<G>, options?: DegreeOptions): Promise<number>;

  /**
   * A node's outgoing edges, of one type or of all, by sort key (with hashed keys that is no order of ids): a Query of
   * the base edges, so it needs no projection. Edges of types outside the model are left out.
   */
  edges<E extends EdgeType<G> = EdgeType<G>>(
    source: string,
    edgeType?: E,
    options?: EdgesOptions,
  ): Promise<Page<StoredEdge<G, E>>>;

  /**
   * A node's incoming edges of one type, in one of the type's orders.
   *
   * @example
   * // The newest tickets of a user, and the user: one Query.
   * await reader.inbound('TICKET', 'USER-U1', { reverse: true, owner: true, limit: 10 });
   */
  inbound<E extends EdgeType<G>>(
    edgeType: E,
    target: string,
    options?: InboundQuery<EdgeOrder<G, E>>,
  ): Promise<InboundPage<InboundEdge<G, E>, EdgeOwner<G, E>>>;

  /** A search that the model declares, such as `USER.name`. */
  search<Name extends SearchName<G>>(name: Name): Search<Hit<G, Name>>;

  /**
   * A page in three steps: incoming edges, the views of their sources, the views of the neighbours that those edge sets
   * name. 1 Query (one for each shard where inbound is sharded) + a BatchGetItem for 100 views + one for 100 neighbours.
   * Neighbours whose attributes are copied under the edges (`copy`) are not read: where all are, the last step is left out.
   *
   * @example
   * await reader.page('GOALMEMBERSHIP', 'TEAM-T1', { with: ['GOALMEMBERSHIP', { type: 'OWNS', label: 'LEAD' }] });
   */
  page<E extends EdgeType<G>>(
    edgeType: E,
    target: string,
    options?: PageOptions<EdgeType<G>, EdgeOrder<G, E>>,
  ): Promise<PageResult<PageNode<G, E>>>;

  /** How a search's items lie over its shards: a count of each. Throws `equality-only` with `shards: 'value'`. */
  shards(name: SearchName<G>, scope?: SearchScope): Promise<ShardsResult>;

  /**
   * Resolves when what is derived from a base item agrees with a consistent read of it: its part of the view, its index
   * items, its reverse item and copy, and none that it wants no more. It does not wait until a node's attributes have reached
   * the copies in other nodes' views. After that `get` with `consistent: true` shows it; an index may still lag by
   * the moment that DynamoDB takes to copy an item into it.
   *
   * `base`: the base item's key; the `target` of an edge is its sort key, `GOALMEMBERSHIP-USER-U1`, or where keys are hashed
   * what `hashedEdgeKey` gives. Throws
   * `projection-timeout`, which names what still differs, and at once `not-derivable` for an item that goes into
   * quarantine: what is wrong with it will not change by waiting.
   */
  waitForProjection(base: ItemKey, options?: WaitOptions): Promise<void>;
}

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

/**
 * Makes a reader.
 *
 * @example
 * const reader = createReader(graph, { store: new DynamoDBStore(createClient(), graph.table) });
 * const { items, cursor } = await reader.inbound('GOALMEMBERSHIP', 'USER-U1', { atLeast: 'CONTRIBUTOR' });
 */
export function createReader<G extends CompiledModel>(graph: G, options: ReaderOptions): Reader<G> {
  const context = readContext(graph, options);
  const { leases = registryLeases(graph, options.store) } = options;
  // Base items need no registry; all that is derived is read with what that allows at the moment.
  const held = <T>(read: (context: ReadContext) => Promise<T>): Promise<T> =>
    leases.hold((readable) => read({ ...context, ...(readable && { readable }) }));
  const reader: Reader = {
    get: (ids, getOptions) => held(async (held) => (await readNodes(held, ids, getOptions)).nodes as never),
    has: (source, edgeType, target, readOptions) => hasEdge(context, source, edgeType, target, readOptions),
    degree: (source, edgeType, readOptions) => held((held) => readDegree(held, source, edgeType, readOptions)),
    edges: (source, edgeType, edgesOptions) => readEdges(context, source, edgeType, edgesOptions) as never,
    inbound: (edgeType, target, options) => held((held) => readInbound(held, edgeType, target, options)) as never,
    search: (name) => searchOf(context.graph, name, held),
    page: (edgeType, target, pageOptions) => held((held) => readPage(held, edgeType, target, pageOptions)) as never,
    shards: (name, scope) => held((held) => readShards(held, findSearch(graph, name), scope)),
    waitForProjection: (base, waitOptions) => held((held) => waitForProjection(held, base, waitOptions)),
  };
  // The graph's types say what the stored attributes are; at run time there is nothing to check them by.
  return reader as unknown as Reader<G>;
}

function searchOf<Result>(
  graph: CompiledModel,
  name: string,
  held: <T>(read: (context: ReadContext) => Promise<T>) => Promise<T>,
): Search<Result> {
  const search = findSearch(graph, name);
  const find: Search<Result>['find'] = (predicate, options) =>
    held((context) => readSearch(context, search, predicate, options) as Promise<Page<Result>>);
  return {
    find,
    eq: (value, options) => find({ eq: value }, options),
    beginsWith: (prefix, options) => find({ beginsWith: prefix }, options),
    path: (segments, options) => find({ path: segments }, options),
    between: (from, to, options) => find({ from, to }, options),
    latest: (options) => {
      const { reverse: _, ...known } = SEARCH_OPTIONS;
      checkOptions('latest', options, known);
      return find({}, { ...options, reverse: true });
    },
    all: (options) => find({}, options),
    count: (predicate = {}, scope = {}) => held((context) => countSearch(context, search, predicate, scope)),
  };
}

function readContext(graph: CompiledModel, options: ReaderOptions): ReadContext {
  checkStoreOptions('createReader', options, {
    ...{ store: true, cursorKey: true, concurrency: true, readNumber: true, leases: true },
  });
  const { store, cursorKey, concurrency = 32, readNumber = exactNumber } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new EdgeloomError(
      'invalid-option',
      `concurrency should be a whole number of 1 or more, but is ${concurrency}.`,
    );
  }
  if (cursorKey !== undefined && cursorKey.length === 0) {
    throw new EdgeloomError('invalid-option', 'cursorKey is empty, so that anyone could sign a cursor.');
  }
  return { graph, store, cursorKey, concurrency, readNumber };
}
