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
import {
  type CountResult,
  countInbound,
  type InDegreeOptions,
  readShards,
  type ShardsResult,
} from './lists/count-search.ts';
import type { InboundQuery, OneQuestion } from './lists/inbound-query.ts';
import type { SearchScope } from './lists/search-list.ts';
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
import { LivingStore } from './request/living-store.ts';
import { findSearch } from './request/lookup.ts';
import type { ReadContext } from './request/read-context.ts';
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
 * Reads the projections of a graph.
 *
 * Every method throws an `EdgeloomError` for arguments that the model doesn't declare (`unknown-type`,
 * `unknown-search`, `unknown-order`, `unknown-label`, ...; the hint names what is declared), `invalid-cursor` for a
 * cursor that was altered or belongs to another query, `unknown-option` for an unknown option, and a `StoreError` if
 * DynamoDB fails. Ended items (`expires`) are only shown with `includeExpired: true`.
 *
 * Reads are eventually consistent by default. `consistent: true` reads stored items as last written: base items
 * (`edges`, `has`, `getViews` with `attributes`) as producers put them, derived items (edge sets, view attributes,
 * counts) as the projector has them now. Reads of an index (`inbound`, `search`, `page`) refuse it.
 *
 * Every method takes a `signal` (AbortSignal); when aborted, it rejects at once with the signal's reason and makes no
 * more calls. Every reading method takes `capacity: true`, which adds the consumed units to its result.
 */
export interface Reader<G extends CompiledModel = CompiledModel> {
  /**
   * Nodes with their edge sets, one entry per id, in order. An entry is null if neither the node nor any edge of it is
   * projected; `attributes` is null if only edges are (the node is deleted, soft-deleted or ended). One BatchGetItem
   * per 100 views.
   *
   * Edge sets are sorted by type, then target; absent labels are left out. Corrupt elements are left out as well, and
   * reported by the nightly check.
   */
  getViews<
    const Id extends string,
    const Selection extends AttributeSelection | undefined = undefined,
    const Asked extends boolean | undefined = undefined,
  >(
    ids: readonly Checked<Id, ViewIdArgument<G, Id>>[],
    options?: GetOptions<Selection, Asked>,
  ): Promise<ValueOf<(ViewOfId<G, Id, Selection> | null)[], Asked>>;

  /** A node's view, as from `getViews`. The projector maintains it. Use `getNode` for what producers wrote. */
  getView<
    const Id extends string,
    const Selection extends AttributeSelection | undefined = undefined,
    const Asked extends boolean | undefined = undefined,
  >(
    id: Checked<Id, ViewIdArgument<G, Id>>,
    options?: GetOptions<Selection, Asked>,
  ): Promise<ValueOf<ViewOfId<G, Id, Selection> | null, Asked>>;

  /**
   * The pages of a list, one after the other, until the list ends or the loop is left. The same pages as by cursors,
   * but cheaper for a list in several shards: rows read beyond a page's end are kept in memory for the next pages
   * (about 100 per shard at most). A walk costs 0.5 RCU per shard plus about 1 RCU per 100 rows, whereas by cursor each
   * page asks all shards again. Rows are as of when their shard was read, maybe some pages earlier; each page applies
   * the session's own writes and hides what has ended. After a change of the model the rest is read again. Any read
   * inside the callback takes part if it continues from the cursor. `maxRcu` bounds each page, not the walk.
   *
   * @example
   * for await (const { items } of reader.pages((cursor) => reader.inbound('USER-U1', 'TICKET', { cursor }))) show(items);
   */
  pages<P extends { cursor?: string }>(read: (cursor: string | undefined) => Promise<P>): AsyncIterable<P>;

  /** The items of a list, page by page, read like `pages` at the same cost. */
  all<Item>(read: (cursor: string | undefined) => Promise<{ items: Item[]; cursor?: string }>): AsyncIterable<Item>;

  /** Whether an edge exists. Takes one GetItem of the base edge, so it needs no projection. */
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
   * How many outgoing edges of a type a node has (`inDegree` counts incoming ones). Takes one GetItem of the count or, if
   * the type keeps none, of the view, whose edge set is counted. If the type was evicted from the set, a Query counts all
   * base edges. Throws `not-counted` for a type without a count that isn't in an edge set.
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
   * Number, sums and groups of a node's incoming or outgoing edges of a type, as the model's `total` and `groupBy`
   * declare them. Takes one GetItem. Exact for what is projected. Throws `no-total` for a type without totals, and
   * `too-many-groups` if a group has more than 50 values.
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
   * A node's outgoing edges, of one type or all, by sort key (with hashed keys, not in the order of ids). Queries
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
   * A node with all its attributes as its producers wrote them, null if it doesn't exist. Takes one GetItem of the base
   * item. Use `getView` for what the projector maintains: the view's attributes and the edge set.
   */
  getNode<const Id extends string, const Asked extends boolean | undefined = undefined>(
    id: Checked<Id, IdArgument<G, Id>>,
    options?: NodeReadOptions<Asked>,
  ): Promise<ValueOf<StoredNodeOf<G, Id> | null, Asked>>;

  /**
   * An edge with all its attributes as its producers wrote them, null if it doesn't exist. Takes one GetItem of the
   * base item.
   */
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
   * A node and its outgoing edges as their producers wrote them, in one Query of the partition. Only the first page has
   * the node. A Query isn't isolated: it may show a part of a concurrent transaction.
   */
  getCollection<const Id extends string, E extends EdgeType<G> = EdgeType<G>>(
    id: Checked<Id, IdArgument<G, Id>>,
    options?: CollectionOptions<E>,
  ): Promise<Collection<StoredNodeOf<G, Id>, StoredEdge<G, E>>>;

  /**
   * All nodes of a type with `list: true`, by id, as from `getViews`. Takes a Query of each of the list's 10 shards and
   * a BatchGetItem of the views. Throws `not-listed` for other types. Use `search` to find nodes by a value.
   */
  nodes<T extends ListedNodeType<G>>(type: T, options?: NodesOptions): Promise<Page<ViewOfId<G, NodeId<G, T>>>>;

  /**
   * How many edges of a type enter a node (`degree` counts outgoing ones), or how many an `inbound` with the same
   * options would list. DynamoDB counts in each shard of the order, at the cost of reading them all. Edges without the
   * order's attribute aren't in the order, so not counted. `truncated` means that there may be more: see `maxRcu`.
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
   * A session's reader shows the session's writes without waiting for the projector or an index. `inDegree` and `count`
   * don't, and return `exact: false`; all other reads of nodes and edges do, including `getNode` and `total`. As long
   * as the session writes nothing during a walk by cursor, each of its items that belongs to the list appears exactly
   * once and in order. Other writers' items may still come and go.
   *
   * It costs a consistent read of each written item that the request depends on. After too many writes to remember,
   * answers and the session have `ownWrites: 'unknown'`.
   */
  with(session: Session): Reader<G>;

  /** A search that the model declares, such as `USER.name`. Call `equals`, `beginsWith` or `find` on it. */
  search<Name extends SearchName<G>>(name: Name): Search<Hit<G, Name>, SearchOfName<G, Name>>;

  /**
   * A page in three steps: incoming edges, the views of their sources, the views of the neighbours in those edge sets.
   * It takes one Query (one per shard if inbound is sharded), a BatchGetItem per 100 views and one per 100 neighbours.
   * Neighbours whose attributes are copied to the edges (`copy`) aren't read; if all are, the last step is left out.
   * Without neighbours (`with: []`) and with attributes from the index items, it takes just the Query.
   *
   * `with` may have levels. Each costs a BatchGetItem per 100 nodes, and a repeated node is read once. Incoming edges,
   * and types in no edge set, take a Query for each node above.
   *
   * Neighbours are nested as the query names them: `edges.KEYRESULT` by outgoing edges, `inbound.TASK_OF` by incoming
   * ones. If the same levels lead to a node twice, both places share one object.
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
   * How evenly a search's items are spread over its shards: the number of items, the fullest shard and its share, and
   * the number of empty shards. Counts each shard. Throws `equality-only` with `shards: 'value'`.
   */
  shards<Name extends SpreadSearchName<G>>(
    name: Name,
    ...scope: Scoped<SearchOfName<G, Name>, SearchScope>
  ): Promise<ShardsResult>;

  /**
   * Watches the beginning of a list, or nodes: first a `page`, then each step that the list takes, until the signal is
   * aborted or the loop is left. `applyWatchEvent` applies events to an array, which then equals what `inbound`,
   * `search` or `getViews` would return. Events follow projected changes within seconds. After `resync`, changes may
   * have been missed and a `page` follows. A session's own writes appear once they are projected. Needs the option
   * `feed` of `createReader`; throws `no-feed` without it.
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
   * Resolves when everything derived from a node or edge agrees with a consistent read of it: its part of the view, its
   * index items, its reverse item and copy, without leftovers. It doesn't wait for copies in other nodes' views.
   * Afterwards `getViews` with `consistent: true` shows it; an index may still lag until DynamoDB has copied the item
   * into it.
   *
   * Agreement doesn't prove that every earlier write was applied. If x is projected, then y is put, then x again, both
   * agree before either record is applied, and the record of y makes the projection y for a moment. No read of the
   * table can tell; with `lowWatermark` (how far the stream is applied), the wait lasts until both records are applied.
   *
   * Throws `projection-timeout`, which names what still differs, and at once `not-derivable` for an item that goes into
   * quarantine, since waiting doesn't help.
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
  // Base items are read without the registry. Derived items are read under a lease, which says what this reader may
  // use.
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
      held(options, (held) => countInbound(held, target, edgeType, options as unknown as InDegreeOptions)),
    inbound: (target, edgeType, options) =>
      held(options, (held) => readListWithTarget(held, target, edgeType, options)) as never,
    search: (name) => searchOf(context.graph, name, held),
    page: (target, edgeType, options) =>
      held(options, (held) => readPage(held, target, edgeType, options as PageOptions)) as never,
    shards: (name, scope) => held(scope, (held) => readShards(held, findSearch(graph, name), scope)),
    // Own writes come as events once they are projected: shown earlier, no event would take them back.
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
  // Attribute types are only known at compile time.
  return reader as unknown as Reader<G>;
}

/** Throws `no-feed`. A reader without a feed doesn't bundle the code that watches. */
function requireFeed(feed: WatchableFeed | undefined): WatchableFeed {
  if (feed !== undefined) return feed;
  throw new EdgeloomError(
    'no-feed',
    'This reader has no feed to watch.',
    'Start one for the process, { feed } = await startFeed(graph, { client, streams }), and give it to createReader.',
  );
}
