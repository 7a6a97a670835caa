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
  TotalGroups,
  TotalledEdgeType,
  TotalledId,
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
import type { InboundOfWatch, SearchOfWatch, WatchQuery } from '../feed/watch.ts';
import type { WatchEvent } from '../feed/watch-types.ts';
import type { WatchableFeed } from '../feed/watchable-feed.ts';
import { type Session, sessionOf } from '../session/session.ts';
import { listNodes, type NodesOptions } from './list-nodes.ts';
import { readListWithTarget } from './list-with-target.ts';
import { type CountResult, countInbound, type InDegreeOptions, readShards, type ShardsResult } from './lists/count.ts';
import type { InboundQuery, OneQuestion } from './lists/inbound.ts';
import type { SearchScope } from './lists/search.ts';
import { itemsOf, pagesOf } from './lists/walk.ts';
import {
  type Collection,
  type CollectionOptions,
  type NodeReadOptions,
  readCollection,
  readNode,
} from './nodes/base.ts';
import { type DegreeOptions, readDegree } from './nodes/degree.ts';
import { type EdgesOptions, type HasOptions, hasEdge, readEdge, readEdges } from './nodes/edges.ts';
import { readTotal, type TotalReadOptions, type TotalResult } from './nodes/total.ts';
import { type AttributeSelection, GET_OPTIONS, type GetOptions, getViews } from './nodes/views.ts';
import { type PageLevels, type PageOptions, type PageResult, readPage } from './page.ts';
import { type ReaderOptions, readContext } from './reader-options.ts';
import type { ReadContext } from './request/context.ts';
import { LivingStore } from './request/living-store.ts';
import { findSearch } from './request/lookup.ts';
import type { InboundPage, Page } from './request/result.ts';
import {
  type OptionsWithin,
  type Predicate,
  type QueryOf,
  type Reading,
  type Scoped,
  type Search,
  searchOf,
} from './search.ts';
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
 * Reads the projections of a graph.
 *
 * Every method throws an `EdgeloomError` for arguments that the model does not declare (`unknown-type`,
 * `unknown-search`, `unknown-order`, `unknown-label`, ...; the hint names what it does), `invalid-cursor` for a cursor
 * that was altered or belongs elsewhere, `unknown-option` for a name that is none of a method's options, and a `StoreError`
 * where DynamoDB fails. No method shows what is over (`expires`), but with `includeExpired: true`. Reads are eventually consistent unless asked otherwise. `consistent: true` reads the stored items as
 * their last writes left them: base items (`edges`, `has`, `getViews` with `attributes`) are what producers put, while derived
 * ones (edge sets, the attributes of a view, counts) are as the projector has brought them by then. Reads of an index
 * (`inbound`, `search`, `page`) refuse it. Every method takes a `signal` (an AbortSignal): once that is aborted it rejects
 * at once with the signal's reason and calls DynamoDB no more; and every one that reads takes `capacity: true`, which adds the
 * units to its result.
 */
export interface Reader<G extends CompiledModel = CompiledModel> {
  /**
   * Nodes with their edge sets: one entry for each id, in that order. It is null where neither the node nor an edge of it is
   * projected; where only edges are (the node is deleted, soft-deleted or over), `attributes` is null. One BatchGetItem for 100 views.
   *
   * Edge sets are sorted by type, then by target; an absent label is left out. An element that is no edge (corrupt
   * data) is left out too: the nightly check reports it.
   */
  getViews<
    const Id extends string,
    const Selection extends AttributeSelection | undefined = undefined,
    const Asked extends boolean | undefined = undefined,
  >(
    ids: readonly Checked<Id, ViewIdArgument<G, Id>>[],
    options?: GetOptions<Selection, Asked>,
  ): Promise<ValueOf<(ViewOfId<G, Id, Selection> | null)[], Asked>>;

  /** The projected view of a node, as `getViews` gives it: what the projector keeps. `getNode` reads what producers wrote. */
  getView<
    const Id extends string,
    const Selection extends AttributeSelection | undefined = undefined,
    const Asked extends boolean | undefined = undefined,
  >(
    id: Checked<Id, ViewIdArgument<G, Id>>,
    options?: GetOptions<Selection, Asked>,
  ): Promise<ValueOf<ViewOfId<G, Id, Selection> | null, Asked>>;

  /**
   * The pages of a list, one after the other, until the list ends or the loop is left. The same pages as by cursors, and cheaper where a
   * list lies in several shards: what a page has read beyond its end is kept in memory for the next pages, at most some 100 rows of each
   * shard. So a walk costs 0.5 RCU for each shard and about 1 RCU for 100 rows, while by cursors each page asks all shards again. A row
   * comes as its shard was read, which may be some pages ago; a session's own writes and what is over by now are seen to on each page.
   * After a change of the model the rest is read again. Within the callback any read of this process takes part, if it goes on from the
   * cursor. `maxRcu` bounds each page, not the walk.
   *
   * @example
   * for await (const { items } of reader.pages((cursor) => reader.inbound('USER-U1', 'TICKET', { cursor }))) show(items);
   */
  pages<P extends { cursor?: string }>(read: (cursor: string | undefined) => Promise<P>): AsyncIterable<P>;

  /** The items of a list, page by page, as `pages` reads them and at the same price. */
  all<Item>(read: (cursor: string | undefined) => Promise<{ items: Item[]; cursor?: string }>): AsyncIterable<Item>;

  /** Tells whether an edge exists: one GetItem of the base edge, so it needs no projection. */
  has<
    const Source extends string,
    E extends EdgeType<G>,
    const Target extends string,
    const Asked extends boolean | undefined = undefined,
  >(
    source: Checked<Source, SourceOf<G, E, Source>>,
    edgeType: E,
    target: Checked<Target, TargetOf<G, E, Target>>,
    options?: HasOptions<Asked>,
  ): Promise<ValueOf<boolean, Asked>>;

  /**
   * How many outgoing edges of a type a node has (`inDegree` counts those that enter it): one GetItem of their count, or, where the type keeps none, of the view,
   * whose edge set is counted. Where the type was evicted from the set, the base edges are counted by a Query of them all.
   * Throws `not-counted` for a type that is in no edge set and keeps no count.
   */
  degree<
    const Source extends string,
    E extends CountedEdgeType<G>,
    const Asked extends boolean | undefined = undefined,
  >(
    source: Checked<Source, SourceOf<G, E, Source>>,
    edgeType: E,
    options?: DegreeOptions<Asked>,
  ): Promise<ValueOf<number, Asked>>;

  /**
   * The number of a node's edges of a type, their sums and their numbers by group, as `total` and `groupBy` of the model declare them:
   * one GetItem. They are of the edges that enter the node, or leave it. Exact for what is projected by then. Throws `no-total` for a
   * type without them, and `too-many-groups` where a group has more than 50 values.
   *
   * @example
   * // { count: 35, hours: '1203.5', groups: { kind: { code: 31, talk: 4 } } }
   * await reader.total('PROJECT-P1', 'WORKED_ON');
   */
  total<const Id extends string, E extends TotalledEdgeType<G>>(
    id: Checked<Id, TotalledId<G, E, Id>>,
    edgeType: E,
    options?: TotalReadOptions,
  ): Promise<TotalResult<SumName<G, E>, TotalGroups<G, E>>>;

  /**
   * A node's outgoing edges, of one type or of all, by sort key (with hashed keys that is no order of ids): a Query of
   * the base edges, so it needs no projection. Edges of types outside the model are left out.
   */
  edges<const Source extends string, E extends EdgeType<G> = EdgeType<G>>(
    source: Checked<Source, SourceOf<G, E, Source>>,
    edgeType?: E,
    options?: EdgesOptions,
  ): Promise<Page<StoredEdge<G, E>>>;

  /**
   * A node's incoming edges of one type, in one of the type's orders.
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
   * A node as its producers wrote it, with all of its attributes: one GetItem of the base item, with `consistent: true` as the last write
   * left it. Null where it does not exist. `getView` reads what the projector keeps: the view's attributes, with the edge sets.
   */
  getNode<const Id extends string, const Asked extends boolean | undefined = undefined>(
    id: Checked<Id, IdArgument<G, Id>>,
    options?: NodeReadOptions<Asked>,
  ): Promise<ValueOf<StoredNodeOf<G, Id> | null, Asked>>;

  /** An edge as its producers wrote it, with all of its attributes: one GetItem of the base item. Null where it is absent. */
  getEdge<
    const Source extends string,
    E extends EdgeType<G>,
    const Target extends string,
    const Asked extends boolean | undefined = undefined,
  >(
    source: Checked<Source, SourceOf<G, E, Source>>,
    edgeType: E,
    target: Checked<Target, TargetOf<G, E, Target>>,
    options?: HasOptions<Asked>,
  ): Promise<ValueOf<StoredEdge<G, E> | null, Asked>>;

  /**
   * A node and its outgoing edges, as their producers wrote them, in one Query of the partition. Only the first page has
   * the node. DynamoDB reads item by item: within a transaction's moment a Query may show a part of it.
   */
  getCollection<const Id extends string, E extends EdgeType<G> = EdgeType<G>>(
    id: Checked<Id, IdArgument<G, Id>>,
    options?: CollectionOptions<E>,
  ): Promise<Collection<StoredNodeOf<G, Id>, StoredEdge<G, E>>>;

  /**
   * All nodes of a type by id, as `getViews` gives them, of a type with `list: true`: a Query of each of the 10 shards of the list
   * and a BatchGetItem of the views. Throws `not-listed` for other types. `search` finds the nodes of a type by a value.
   */
  nodes<T extends ListedNodeType<G>>(type: T, options?: NodesOptions): Promise<Page<ViewOfId<G, NodeId<G, T>>>>;

  /**
   * How many edges of a type enter a node (`degree` counts those that leave it), or how many of them an `inbound` of the same options would list: counted by
   * DynamoDB in each shard of the order, at the price of a read of them all. Edges without the order's attribute are in no
   * order, and not counted. `truncated` says that there may be more: see `maxRcu`.
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
   * The reader of a session: it shows the effect of the session's writes without waiting for the projector or an index.
   * `inDegree` and `count` do not show it and say `exact: false`; other reads of nodes and edges show it, `getNode` and
   * `total` among them. In a walk by cursor, while the session does not write, each of its items comes exactly once and in order
   * if it belongs to the list, and never otherwise. Items of other writers may still come and go.
   *
   * It costs a consistent read of each item that was written and that the request depends on. Where there were too many writes
   * to remember, answers say `ownWrites: 'unknown'`, and so does the session.
   */
  with(session: Session): Reader<G>;

  /** A search that the model declares, such as `USER.name`: `equals`, `beginsWith` and `find` give its nodes. */
  search<Name extends SearchName<G>>(name: Name): Search<Hit<G, Name>, SearchOfName<G, Name>>;

  /**
   * A page in three steps: incoming edges, the views of their sources, the views of the neighbours that those edge sets
   * name. 1 Query (one for each shard where inbound is sharded) + a BatchGetItem for 100 views + one for 100 neighbours.
   * Neighbours whose attributes are copied under the edges (`copy`) are not read: where all are, the last step is left out.
   * Where no neighbours are asked for (`with: []`), and the attributes lie in the index items, it is the Query alone.
   *
   * `with` may have levels. Each of them costs a BatchGetItem for 100 nodes, and a node that comes twice is read once. Edges that
   * enter, and types in no edge set, are found by a Query for each node above.
   *
   * Each node has its neighbours as the question names them: `edges.KEYRESULT` are those by edges that leave it, `inbound.TASK_OF`
   * those by edges that enter it. Where the same levels lead to a node twice, it is one object; JSON writes it at each place.
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
   * Tells how evenly a search's items lie over its shards: the number of items, the fullest shard with its share of them, and the number
   * of empty shards. It costs a count of each shard. Throws `equality-only` with `shards: 'value'`.
   */
  shards<Name extends SpreadSearchName<G>>(
    name: Name,
    ...scope: Scoped<SearchOfName<G, Name>, SearchScope>
  ): Promise<ShardsResult>;

  /**
   * Watches the beginning of a list, or nodes: first a `page`, then each step that the list takes, until the signal is aborted or the
   * loop is left. `applyWatchEvent` takes an event into an array, which then is what `inbound`, `search` or `getViews` would give. Events
   * come once the change is projected, in seconds. `resync` says that changes may have been missed; a `page` follows. A session's
   * own writes are shown as all others, once they are projected. Needs the option `feed` of `createReader`; throws `no-feed` without.
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
   * Resolves when what is derived from a node, or from an edge, agrees with a consistent read of it: its part of the view, its index
   * items, its reverse item and copy, and no obsolete item remains. It does not wait until a node's attributes have reached
   * the copies in other nodes' views. After that `getViews` with `consistent: true` shows it; an index may still lag by
   * the moment that DynamoDB takes to copy an item into it.
   *
   * Agreement does not tell that every earlier write is applied. Where x is projected, then y is put, then x again, the two
   * agree before either record is applied, and the record of y makes the projection y for a moment. No read of the table
   * can tell: with `lowWatermark`, how far the stream is applied, the wait lasts until both are.
   *
   * Throws `projection-timeout`, which names what still differs, and at once `not-derivable` for an item that goes into
   * quarantine: what is wrong with it will not change by waiting.
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
 * Makes a reader, with a store or with a client of the AWS SDK, such as a `DynamoDBDocumentClient`.
 *
 * @example
 * const reader = createReader(graph, { client: DynamoDBDocumentClient.from(new DynamoDBClient()) });
 * const { items, cursor } = await reader.inbound('USER-U1', 'GOALMEMBERSHIP', { atLeast: 'CONTRIBUTOR' });
 */
export function createReader<G extends CompiledModel>(
  graph: G,
  given: ReaderOptions | WithClient<ReaderOptions>,
): Reader<G> {
  const options = withStore('createReader', graph.table, given);
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
  feed?: WatchableFeed,
): Reader<G> {
  const { graph } = context;
  const isEnding = hasEnds(graph);
  const living = (store: Store, includeExpired = false): Store =>
    isEnding && !includeExpired ? new LivingStore(store, graph, context.now) : store;
  const read: Reading = (options, run, isValue) => {
    const reading = (called: Store, spending?: Spending) =>
      readAbortable(called, options?.signal, (store) =>
        run({ ...context, store: living(store, options?.includeExpired), stored: store, spending }),
      );
    return withCapacity(stores, options, reading, isValue);
  };
  // Base items are read without the registry. Derived items are read under a lease of it, which says what this reader may use now.
  const held: Reading = (options, run, isValue) =>
    read(
      options,
      (context) =>
        leases.hold((projections) => {
          context.spending?.restart();
          return run({ ...context, projections });
        }),
      isValue,
    );
  const reader: Reader = {
    with: (session) =>
      readerOf({ ...context, session: sessionOf(session, context.graph.table.name) }, stores, leases, feed),
    getViews: (ids, options) => held(options, (held) => getViews(held, ids, options), true) as never,
    getView: (id, options) =>
      held(
        options,
        async (held) => {
          checkOptions('getView', options, GET_OPTIONS);
          return (await getViews(held, [id], options))[0];
        },
        true,
      ) as never,
    pages: pagesOf,
    all: itemsOf,
    has: (source, edgeType, target, options) =>
      read(options, (context) => hasEdge(context, source, edgeType, target, options), true) as never,
    degree: (source, edgeType, options) =>
      held(options, (held) => readDegree(held, source, edgeType, options), true) as never,
    total: (id, edgeType, options) => held(options, (held) => readTotal(held, id, edgeType, options)) as never,
    edges: (source, edgeType, options) =>
      read(options, (context) => readEdges(context, source, edgeType, options)) as never,
    getNode: (id, options) => read(options, (context) => readNode(context, id, options), true) as never,
    getEdge: (source, edgeType, target, options) =>
      read(options, (context) => readEdge(context, source, edgeType, target, options), true) as never,
    getCollection: (id, options) => read(options, (context) => readCollection(context, id, options)) as never,
    nodes: (type, options) => held(options, (held) => listNodes(held, type, options)) as never,
    inDegree: (target, edgeType, options) =>
      held(options, (held) => countInbound(held, edgeType, target, options as unknown as InDegreeOptions)),
    inbound: (target, edgeType, options) =>
      held(options, (held) => readListWithTarget(held, edgeType, target, options)) as never,
    search: (name) => searchOf(context.graph, name, held),
    page: (target, edgeType, options) =>
      held(options, (held) => readPage(held, edgeType, target, options as PageOptions)) as never,
    shards: (name, scope) => held(scope, (held) => readShards(held, findSearch(graph, name), scope)),
    // A session's writes come as all others do, once they are projected: no event would take them back.
    watch: (query: WatchQuery, options?: Abortable) =>
      requireFeed(feed).watch(
        // A bound of units needs units in the answers.
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
  // The graph's types say what the stored attributes are; at run time there is nothing to check them by.
  return reader as unknown as Reader<G>;
}

/** Returns the feed; throws `no-feed` if the reader has none. The feed brings its code: a reader that watches nothing does not bundle it. */
function requireFeed(feed: WatchableFeed | undefined): WatchableFeed {
  if (feed !== undefined) return feed;
  throw new EdgeloomError(
    'no-feed',
    'This reader has no feed to watch.',
    'Start one for the process, { feed } = await startFeed(graph, { client, streams }), and give it to createReader.',
  );
}
