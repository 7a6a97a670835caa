import type { CompiledModel } from '../../core/model/compiled.ts';
import { hasEnds } from '../../core/model/ends.ts';
import type {
  CountedEdgeType,
  DefaultOrder,
  EdgeOrder,
  EdgeSourceType,
  EdgeType,
  HasPartition,
  IdArgument,
  IncludesTarget,
  IndexedEdgeType,
  ListedNodeType,
  NodeId,
  OrderArgument,
  PartArgument,
  PathArgument,
  SearchName,
  SearchOfName,
  SourceOf,
  SpreadSearchName,
  SumName,
  TargetOf,
  TotaledEdgeType,
  TotaledId,
  TotalGroups,
  ViewIdArgument,
  WholeArgument,
} from '../../core/model/inference.ts';
import type { Store } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import type { Abortable } from '../../foundation/runtime.ts';
import { type ReaderLeases, registryLeases } from '../../registry/reader-lease.ts';
import { readAbortable } from '../../store/abortable.ts';
import { type WithClient, withStore } from '../../store/given.ts';
import { type CallStores, callStores, type Spending, type ValueOf, withCapacity } from '../call/capacity.ts';
import type { Feed } from '../feed/feed.ts';
import type { InboundOfWatch, SearchOfWatch, WatchQuery } from '../feed/watch.ts';
import type { WatchEvent } from '../feed/watch-types.ts';
import { type Session, sessionOf } from '../session/session.ts';
import { listNodes, type NodesOptions } from './list-nodes.ts';
import { readListWithTarget } from './list-with-target.ts';
import {
  type CountResult,
  countInbound,
  type InDegreeOptions,
  readShards,
  type ShardsResult,
} from './lists/count-search.ts';
import type { InboundQuery, OneQuestion } from './lists/inbound-query.ts';
import type { SearchScope } from './lists/search-query.ts';
import { itemsOf, pagesOf } from './lists/walk.ts';
import { type Collection, type CollectionOptions, readCollection, readNode } from './nodes/base.ts';
import { readDegree } from './nodes/degree.ts';
import { type EdgesOptions, hasEdge, readEdge, readEdges } from './nodes/edges.ts';
import { readTotal, type TotalReadOptions, type TotalResult } from './nodes/total.ts';
import { type AttributeSelection, GET_OPTIONS, type GetOptions, getViews } from './nodes/views.ts';
import { type PageLevels, type PageOptions, type PageResult, readPage } from './page.ts';
import { type ReaderOptions, readContext } from './reader-options.ts';
import { LivingStore } from './request/living-store.ts';
import { findSearch } from './request/lookup.ts';
import type { ItemReadOptions, ReadContext } from './request/read-context.ts';
import type { InboundPage, Page } from './request/result.ts';
import {
  type OptionsWithin,
  type Predicate,
  type QueryOf,
  type Reading,
  type Scoped,
  type Search,
  searchOf,
} from './search-calls.ts';
import type {
  Checked,
  CheckedLevels,
  EdgeFilter,
  EdgeTargetView,
  Hit,
  InboundEdge,
  NodeOfPage,
  PartitionOption,
  StoredEdge,
  StoredNodeOf,
  ViewOfId,
} from './types.ts';
import { type WaitOptions, waitArguments, waitForProjection } from './wait.ts';

/**
 * Reads the projections of a graph. Methods throw an `EdgeloomError` for arguments that the model doesn't declare, and
 * a `StoreError` if DynamoDB fails. Reads are eventually consistent. With `consistent: true`, base items are as last
 * written and derived items as the projector last wrote them.
 */
export interface Reader<G extends CompiledModel = CompiledModel> {
  /**
   * Reads nodes with their edge sets, one entry per id, in order. An entry is null if neither the node nor any of its
   * edges is projected. Takes one BatchGetItem per 100 views of nodes and parts, and more reads for what views lack:
   * other attributes, nodes of types without a view, and evicted edge types.
   */
  getViews<
    const Id extends string,
    const Selection extends AttributeSelection | undefined = undefined,
    const Asked extends boolean | undefined = undefined,
  >(
    ids: readonly Checked<Id, ViewIdArgument<G, Id>>[],
    options?: GetOptions<Selection, Asked>,
  ): Promise<ValueOf<(ViewOfId<G, Id, Selection> | null)[], Asked>>;

  /** Reads a node's view, as `getViews` does. Use `getNode` for the node as producers wrote it. */
  getView<
    const Id extends string,
    const Selection extends AttributeSelection | undefined = undefined,
    const Asked extends boolean | undefined = undefined,
  >(
    id: Checked<Id, ViewIdArgument<G, Id>>,
    options?: GetOptions<Selection, Asked>,
  ): Promise<ValueOf<ViewOfId<G, Id, Selection> | null, Asked>>;

  /**
   * Yields the pages of a list. Cheaper than passing cursors for a list in several shards, because rows read beyond a
   * page's end are kept: a walk costs 0.5 RCU per shard plus about 1 RCU per 8 KB of rows. Rows may have been read some
   * pages earlier. `maxRcu` bounds each page.
   *
   * @example
   * for await (const { items } of reader.pages((cursor) => reader.inbound('USER-U1', 'TICKET', { cursor })))
   * show(items);
   */
  pages<P extends { cursor?: string }>(read: (cursor: string | undefined) => Promise<P>): AsyncIterable<P>;

  /** Yields the items of a list, page by page, at the same cost as `pages`. */
  all<Item>(read: (cursor: string | undefined) => Promise<{ items: Item[]; cursor?: string }>): AsyncIterable<Item>;

  /** Tells whether an edge exists, by one GetItem of the base edge. */
  has<
    const Source extends string,
    E extends EdgeType<G>,
    const Target extends string,
    const Asked extends boolean | undefined = undefined,
  >(
    source: Checked<Source, SourceOf<G, E, Source>>,
    edgeType: E,
    target: Checked<Target, TargetOf<G, E, Target>>,
    options?: ItemReadOptions<Asked>,
  ): Promise<ValueOf<boolean, Asked>>;

  /**
   * Counts a node's outgoing edges of a type (`inDegree` counts incoming ones). Reads a stored count or the edge set,
   * or queries the edges if the type outgrew the edge set, the session may have written such edges, or the count or
   * view has yet to be rebuilt. Throws `not-declared` if the type has neither a count nor an edge set.
   */
  degree<
    const Source extends string,
    E extends CountedEdgeType<G>,
    const Asked extends boolean | undefined = undefined,
  >(
    source: Checked<Source, SourceOf<G, E, Source>>,
    edgeType: E,
    options?: ItemReadOptions<Asked>,
  ): Promise<ValueOf<number, Asked>>;

  /**
   * Reads the number, sums and groups of a node's edges of a type by one GetItem. Throws `not-declared` if the model
   * declares none, and `too-many-groups` if a group has more than 50 values.
   *
   * @example
   * // { count: 35, hours: '1203.5', groups: { kind: { code: 31, talk: 4 } } }
   * await reader.total('PROJECT-P1', 'WORKED_ON');
   */
  total<const Id extends string, E extends TotaledEdgeType<G>>(
    id: Checked<Id, TotaledId<G, E, Id>>,
    edgeType: E,
    options?: TotalReadOptions,
  ): Promise<TotalResult<SumName<G, E>, TotalGroups<G, E>>>;

  /**
   * Lists a node's outgoing edges, of one type or all, by sort key; hashed keys aren't in the order of ids. Queries the
   * base edges.
   */
  edges<const Source extends string, E extends EdgeType<G> = EdgeType<G>>(
    source: Checked<Source, SourceOf<G, E, Source>>,
    edgeType?: E,
    options?: EdgesOptions,
  ): Promise<Page<StoredEdge<G, E>>>;

  /**
   * Lists a node's incoming edges of one type, in one of the type's orders.
   *
   * @example
   * // The newest tickets of a user, and the user: one Query.
   * await reader.inbound('USER-U1', 'TICKET', { reverse: true, includeTarget: true, limit: 10 });
   */
  inbound<
    E extends IndexedEdgeType<G>,
    const Target extends string,
    const Order extends EdgeOrder<G, E> = DefaultOrder<G, E>,
  >(
    target: Checked<Target, TargetOf<G, E, Target>>,
    edgeType: E,
    ...options: OptionsWithin<
      HasPartition<G, E>,
      OneQuestion<
        EdgeOrder<G, E>,
        InboundQuery<
          Order,
          OrderArgument<G, E, Order>,
          IncludesTarget<G, E> | false,
          EdgeFilter<G, E, Order>,
          PathArgument<G, E, Order>,
          WholeArgument<G, E, Order>,
          PartArgument<G, E, Order>
        >
      >
    >
  ): Promise<InboundPage<InboundEdge<G, E>, EdgeTargetView<G, E>>>;

  /**
   * Reads a node with all its attributes as producers wrote them; null if it doesn't exist. Use `getView` for its
   * projected view.
   */
  getNode<const Id extends string, const Asked extends boolean | undefined = undefined>(
    id: Checked<Id, IdArgument<G, Id>>,
    options?: ItemReadOptions<Asked>,
  ): Promise<ValueOf<StoredNodeOf<G, Id> | null, Asked>>;

  /** Reads an edge with all its attributes as producers wrote them; null if it doesn't exist. */
  getEdge<
    const Source extends string,
    E extends EdgeType<G>,
    const Target extends string,
    const Asked extends boolean | undefined = undefined,
  >(
    source: Checked<Source, SourceOf<G, E, Source>>,
    edgeType: E,
    target: Checked<Target, TargetOf<G, E, Target>>,
    options?: ItemReadOptions<Asked>,
  ): Promise<ValueOf<StoredEdge<G, E> | null, Asked>>;

  /**
   * Reads a node and its outgoing edges as producers wrote them, by Query. May show only part of a concurrent
   * transaction.
   */
  getCollection<const Id extends string, E extends EdgeType<G> = EdgeType<G>>(
    id: Checked<Id, IdArgument<G, Id>>,
    options?: CollectionOptions<E>,
  ): Promise<Collection<StoredNodeOf<G, Id>, StoredEdge<G, E>>>;

  /**
   * Lists all nodes of a type with `list: true`, by id, as `getViews` returns them. Takes a Query of each of the list's
   * 10 shards, and the reads of `getViews`. Throws `not-declared` for other types.
   */
  nodes<T extends ListedNodeType<G>>(type: T, options?: NodesOptions): Promise<Page<ViewOfId<G, NodeId<G, T>>>>;

  /**
   * Counts the incoming edges that `inbound` would list with the same options (`degree` counts outgoing ones). Costs as
   * much as reading them all.
   */
  inDegree<
    const Target extends string,
    E extends IndexedEdgeType<G>,
    const Order extends EdgeOrder<G, E> = DefaultOrder<G, E>,
  >(
    target: Checked<Target, TargetOf<G, E, Target>>,
    edgeType: E,
    ...options: OptionsWithin<
      HasPartition<G, E>,
      OneQuestion<
        EdgeOrder<G, E>,
        InDegreeOptions<
          Order,
          OrderArgument<G, E, Order>,
          PathArgument<G, E, Order>,
          WholeArgument<G, E, Order>,
          PartArgument<G, E, Order>
        >
      >
    >
  ): Promise<CountResult>;

  /**
   * Returns a reader that shows the session's writes without waiting for the projector or an index. Each relevant
   * written item costs a consistent read, and further reads find out which writes are projected. `inDegree` and `count`
   * don't show own writes, and return `exact: false` if there may be any. `watch` ignores the session.
   */
  with(session: Session): Reader<G>;

  /** Returns a search that the model declares, such as `USER.name`, with methods such as `equals` and `find`. */
  search<Name extends SearchName<G>>(name: Name): Search<Hit<G, Name>, SearchOfName<G, Name>>;

  /**
   * Reads a page in three steps: incoming edges, the views of their sources and, level by level, the views of the
   * neighbors in the sources' edge sets. Takes a Query per shard, and a BatchGetItem per 100 nodes of each level.
   * Neighbors that aren't in an edge set take more for each node of the level above: a Query per shard for incoming
   * edges, and one Query for an edge type without an edge set. Neighbors are under `edges.TYPE` (outgoing) or
   * `inbound.TYPE`.
   *
   * @example
   * await reader.page('TEAM-T1', 'TEAMGOAL', {
   *   with: ['GOALMEMBERSHIP:LEAD', { edge: 'KEYRESULT', with: ['GOALMEMBERSHIP:LEAD', 'GOALMEMBERSHIP:TEAM'] }],
   * });
   */
  page<
    E extends IndexedEdgeType<G>,
    const Target extends string,
    const Order extends EdgeOrder<G, E> = DefaultOrder<G, E>,
    const Selection extends AttributeSelection | undefined = undefined,
    const With extends PageLevels = readonly never[],
  >(
    target: Checked<Target, TargetOf<G, E, Target>>,
    edgeType: E,
    ...options: OptionsWithin<
      HasPartition<G, E>,
      OneQuestion<
        EdgeOrder<G, E>,
        PageOptions<
          Order,
          OrderArgument<G, E, Order>,
          EdgeFilter<G, E, Order>,
          Selection,
          PathArgument<G, E, Order>,
          Checked<With, CheckedLevels<G, EdgeSourceType<G, E>, With>>,
          WholeArgument<G, E, Order>,
          PartArgument<G, E, Order>
        >
      >
    >
  ): Promise<PageResult<NodeOfPage<G, E, Selection, With>>>;

  /**
   * Counts a search's items in each shard, to show how evenly they're spread. Throws `not-declared` for a native
   * search or one with `shards: 'value'`.
   */
  shards<Name extends SpreadSearchName<G>>(
    name: Name,
    ...scope: Scoped<SearchOfName<G, Name>, SearchScope>
  ): Promise<ShardsResult>;

  /**
   * Watches nodes or the beginning of a list. Yields a `page`, then each change, until the signal is aborted or the
   * loop is left. `applyWatchEvent` applies events to an array. Rereads a list when it may have changed, and nodes also
   * every ten seconds. Throws `no-feed` if the reader was created without `feed`.
   *
   * @example
   * for await (const event of reader.watch({ inbound: ['USER-U1', 'TICKET'], limit: 20 }, { signal })) show(event);
   */
  watch<
    E extends IndexedEdgeType<G>,
    const Target extends string,
    const Order extends EdgeOrder<G, E> = DefaultOrder<G, E>,
  >(
    list: {
      inbound: readonly [Checked<Target, TargetOf<G, E, Target>>, E];
    } & OneQuestion<
      EdgeOrder<G, E>,
      InboundOfWatch<
        InboundQuery<
          Order,
          OrderArgument<G, E, Order>,
          boolean,
          EdgeFilter<G, E, Order>,
          PathArgument<G, E, Order>,
          WholeArgument<G, E, Order>,
          PartArgument<G, E, Order>
        >
      >
    > &
      PartitionOption<HasPartition<G, E>>,
    options?: Abortable,
  ): AsyncIterable<WatchEvent<InboundEdge<G, E>>>;
  watch<Name extends SearchName<G>>(
    list: { search: Name } & Predicate<SearchOfName<G, Name>> &
      SearchOfWatch<QueryOf<Hit<G, Name>, SearchOfName<G, Name>['by']>>,
    options?: Abortable,
  ): AsyncIterable<WatchEvent<Hit<G, Name>>>;
  watch<const Id extends string, const Selection extends AttributeSelection | undefined = undefined>(
    nodes: { views: readonly Checked<Id, ViewIdArgument<G, Id>>[]; attributes?: Selection },
    options?: Abortable,
  ): AsyncIterable<WatchEvent<ViewOfId<G, Id, Selection> | null>>;

  /**
   * Resolves when everything derived from a node or edge matches it, except copies in other nodes' views; an index may
   * still lag. With `lowWatermark`, pending records of earlier writes can no longer change the projection. Throws
   * `projection-timeout`, and `not-derivable` for an item that goes into quarantine.
   *
   * @example
   * await reader.waitForProjection('GOAL-G1');
   * await reader.waitForProjection('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1');
   */
  waitForProjection<const Id extends string>(id: Checked<Id, IdArgument<G, Id>>, options?: WaitOptions): Promise<void>;
  waitForProjection<const Source extends string, E extends EdgeType<G>, const Target extends string>(
    source: Checked<Source, SourceOf<G, E, Source>>,
    edgeType: E,
    target: Checked<Target, TargetOf<G, E, Target>>,
    options?: WaitOptions,
  ): Promise<void>;
}

/**
 * Creates a reader from a store or an AWS SDK client, such as a `DynamoDBDocumentClient`.
 *
 * @example
 * const reader = createReader(graph, { client: DynamoDBDocumentClient.from(new DynamoDBClient()) });
 * const { items, cursor } = await reader.inbound('USER-U1', 'GOALMEMBERSHIP', { atLeast: 'CONTRIBUTOR' });
 */
export function createReader<G extends CompiledModel>(
  graph: G,
  given: ReaderOptions | WithClient<ReaderOptions>,
): Reader<G> {
  const options = withStore('createReader', graph, given);
  const checked = readContext(graph, options);
  const stores = callStores(graph, options);
  const context = { ...checked, store: stores.plain };
  const { replica, telemetry, leases = registryLeases(graph, context.store, undefined, replica), feed } = options;
  const reader = readerOf<G>(context, stores, leases, feed);
  return telemetry?.client(reader, graph) ?? reader;
}

function readerOf<G extends CompiledModel>(
  context: ReadContext,
  stores: CallStores,
  leases: ReaderLeases,
  feed?: Feed,
): Reader<G> {
  const { graph } = context;
  const isEnding = hasEnds(graph);
  const living = (store: Store, includeExpired = false): Store =>
    isEnding && !includeExpired ? new LivingStore(store, graph, context.now) : store;
  const read: Reading = (options, run, form) => {
    const reading = (called: Store, spending?: Spending) =>
      readAbortable(called, options?.signal, (store) =>
        run({ ...context, store: living(store, options?.includeExpired), stored: store, spending }),
      );
    return withCapacity(stores, options, reading, form);
  };
  // Reads of derived items hold a lease on the projections that they may use.
  const held: Reading = (options, run, form) =>
    read(
      options,
      (context) =>
        leases.hold((projections) => {
          context.spending?.restart();
          return run({ ...context, projections });
        }),
      form,
    );
  const reader: Reader = {
    with: (session) =>
      readerOf({ ...context, session: sessionOf(session, context.graph.table.name) }, stores, leases, feed),
    getViews: (ids, options) => held(options, (held) => getViews(held, ids, options), 'value') as never,
    getView: (id, options) =>
      held(
        options,
        async (held) => {
          checkOptions('getView', options, GET_OPTIONS);
          return (await getViews(held, [id], options))[0];
        },
        'value',
      ) as never,
    pages: pagesOf,
    all: itemsOf,
    has: (source, edgeType, target, options) =>
      read(options, (context) => hasEdge(context, source, edgeType, target, options), 'value') as never,
    degree: (source, edgeType, options) =>
      held(options, (held) => readDegree(held, source, edgeType, options), 'value') as never,
    total: (id, edgeType, options) => held(options, (held) => readTotal(held, id, edgeType, options)) as never,
    edges: (source, edgeType, options) =>
      read(options, (context) => readEdges(context, source, edgeType, options)) as never,
    getNode: (id, options) => read(options, (context) => readNode(context, id, options), 'value') as never,
    getEdge: (source, edgeType, target, options) =>
      read(options, (context) => readEdge(context, source, edgeType, target, options), 'value') as never,
    getCollection: (id, options) => read(options, (context) => readCollection(context, id, options)) as never,
    nodes: (type, options) => held(options, (held) => listNodes(held, type, options)) as never,
    inDegree: (target, edgeType, options) =>
      held(options, (held) => countInbound(held, target, edgeType, options as unknown as InDegreeOptions)),
    inbound: (target, edgeType, options) =>
      held(options, (held) => readListWithTarget(held, target, edgeType, options)) as never,
    search: (name) => searchOf(context.graph, name, held),
    page: (target, edgeType, options) =>
      held(options, (held) => readPage(held, target, edgeType, options as PageOptions)) as never,
    shards: (name, scope) => held(scope, (held) => readShards(held, findSearch(graph, name), scope)),
    // Watches ignore the session: if own writes were shown before their events, no event could take them back.
    watch: (query: WatchQuery, options?: Abortable) =>
      requireFeed(feed).watch(
        // `maxRcu` requires responses with the consumed capacity.
        { ...context, store: living(stores.counting), session: undefined },
        leases,
        query,
        options,
      ) as never,
    waitForProjection: async (...given: unknown[]) => {
      const { bases, options } = waitArguments(context, given);
      await held(options, (held) => waitForProjection({ ...held, store: held.stored }, bases, options));
    },
  };
  // Attribute types are only known at compile time.
  return reader as unknown as Reader<G>;
}

/** The feed brings the code that watches, so that readers without a feed don't bundle it. */
function requireFeed(feed: Feed | undefined): Feed {
  if (feed !== undefined) return feed;
  throw new EdgeloomError(
    'no-feed',
    'This reader has no feed to watch.',
    'Start one for the process, { feed } = await startFeed(graph, { client, streams }), and give it to createReader.',
  );
}
