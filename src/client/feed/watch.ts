import { isDeepStrictEqual } from 'node:util';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../foundation/options.ts';
import type { Abortable } from '../../foundation/runtime.ts';
import type { ReaderLeases } from '../../registry/reader-lease.ts';
import { edgeOfItem, type InboundQuery, resolveInboundQuery } from '../read/lists/inbound.ts';
import { hitTest } from '../read/lists/scatter.ts';
import { hitOfItem, resolveSearchQuery, type SearchPredicate, type SearchQuery } from '../read/lists/search.ts';
import { type AttributeSelection, readNodes } from '../read/nodes/views.ts';
import { checkLimit, type ReadContext } from '../read/request/context.ts';
import { findSearch } from '../read/request/lookup.ts';
import type { EdgeResult, NodeResult, SearchResult } from '../read/request/result.ts';
import type { Feed, Subscription } from './feed.ts';
import type { WatchEvent } from './watch-types.ts';
import { type ListQuery, WatchedList } from './watched-list.ts';

/** Options that a page has, and a watched list has not. */
type OfPages = 'cursor' | 'maxRcu' | 'consistent' | 'signal';

/** The options of `inbound` that choose a list. */
export type InboundOfWatch<Query = InboundQuery> = Omit<Query, OfPages | 'owner'>;

const INBOUND_OF_WATCH: OptionNames<InboundOfWatch> = {
  order: true,
  atLeast: true,
  equals: true,
  path: true,
  beginsWith: true,
  partition: true,
  from: true,
  to: true,
  reverse: true,
  limit: true,
  where: true,
};

/** The options of a search that choose a list. */
export type SearchOfWatch<Query = SearchQuery> = Omit<Query, OfPages>;

/** A watched list of incoming edges: the type and the target. */
type InboundWatch = { inbound: readonly [type: string, target: string] } & InboundOfWatch;

/** A watched search: its name and its predicate. */
type SearchWatch = { search: string } & SearchPredicate & SearchOfWatch;

/** Watched nodes, as `get` gives them. */
export interface NodesWatch {
  get: readonly string[];
  /** As in `get`. */
  attributes?: AttributeSelection | undefined;
}

/** The list, or the nodes, to watch. */
export type WatchQuery = InboundWatch | SearchWatch | NodesWatch;

/** The lease of a reader is renewed at least so often, in milliseconds: a list may move with the model. */
const RENEW_MS = 10_000;
const MOVED = 'The list has moved: the table was migrated to another model.';

/** The values that watching needs. */
interface Watching {
  context: ReadContext;
  leases: ReaderLeases;
  feed: Feed;
  signal: AbortSignal | undefined;
}

/** Watches a list or nodes: see `Reader.watch`. */
export async function* watch(
  context: ReadContext,
  leases: ReaderLeases,
  feed: Feed,
  query: WatchQuery,
  options: Abortable = {},
): AsyncGenerator<WatchEvent, void, undefined> {
  checkOptions('watch', options, { signal: true });
  const watching: Watching = { context, leases, feed, signal: options.signal };
  if ('inbound' in query) yield* watchList(watching, (held) => edgesOf(held, query));
  else if ('search' in query) yield* watchList(watching, (held) => hitsOf(held, query));
  else if ('get' in query) yield* watchNodes(watching, query);
  else {
    throw new EdgeloomError(
      'invalid-argument',
      'watch takes a list or nodes.',
      "Give { inbound: [type, id] }, { search: 'TYPE.name' } or { get: [ids] }.",
    );
  }
}

function edgesOf(context: ReadContext, { inbound, ...options }: InboundWatch): ListQuery<EdgeResult> {
  checkOptions('watch', options, INBOUND_OF_WATCH);
  const [type, target] = inbound;
  const { index, partitions, range, reverse, where, itemKeys } = resolveInboundQuery(context, type, target, options);
  return {
    ...{ index, partitions, range, where, isReverse: reverse, limit: checkLimit(options.limit) },
    accept: hitTest(context.graph, itemKeys),
    resultOf: (item) => edgeOfItem(context, type, target, item),
  };
}

function hitsOf(context: ReadContext, { search: name, ...query }: SearchWatch): ListQuery<SearchResult> {
  const { partition, where, reverse, limit, ...predicate } = query as SearchQuery & SearchPredicate;
  const search = findSearch(context.graph, name);
  const resolved = resolveSearchQuery(context, search, predicate as SearchPredicate, { partition, where, reverse });
  const { partitions, range, accept } = resolved;
  return {
    ...{ index: 'gsi0', partitions, range, accept, where: resolved.where, isReverse: resolved.reverse },
    limit: checkLimit(limit),
    resultOf: (item) => hitOfItem(context, item),
  };
}

async function* watchList<Result>(
  watching: Watching,
  resolve: (context: ReadContext) => ListQuery<Result>,
): AsyncGenerator<WatchEvent<Result>, void, undefined> {
  const { feed } = watching;
  for (let reason: string | undefined; ; ) {
    const query = await hold(watching, async (context) => resolve(context));
    const list = new WatchedList(query, feed.indexGraceMs);
    const subscription = feed.subscribe({ partitions: query.partitions });
    try {
      const isThere = await hold(watching, async (context) => {
        if (!list.isIn(resolve(context).partitions)) return false;
        await list.begin(context, feed.now());
        return true;
      });
      if (!isThere) continue;
      if (reason !== undefined) yield { type: 'resync', reason, upTo: feed.upTo };
      list.takeSteps();
      yield { type: 'page', items: list.results, upTo: feed.upTo };
      reason = yield* followList(watching, subscription, list, resolve);
    } finally {
      subscription.end();
    }
  }
}

/** Follows a list until it has to be read from the beginning; returns the reason. */
async function* followList<Result>(
  watching: Watching,
  subscription: Subscription,
  list: WatchedList<Result>,
  resolve: (context: ReadContext) => ListQuery<Result>,
): AsyncGenerator<WatchEvent<Result>, string, undefined> {
  const { feed } = watching;
  // A change from just before the subscription has no record in it, and the index may not have shown it.
  let readAgainMs = feed.now() + feed.indexGraceMs;
  for (;;) {
    const { records, gap } = await newsOf(watching, subscription, readAgainMs);
    if (gap !== undefined) return gap;
    const isDue = feed.now() >= readAgainMs;
    const isThere = await hold(watching, async (context) => {
      if (!list.isIn(resolve(context).partitions)) return false;
      for (const record of records) list.receive(record, feed.now());
      if (isDue) await list.begin(context, feed.now());
      else await list.complete(context, feed.now());
      return true;
    });
    if (!isThere) return MOVED;
    if (isDue) readAgainMs = Number.POSITIVE_INFINITY;
    for (const step of list.takeSteps()) yield { ...step, upTo: feed.upTo };
  }
}

async function* watchNodes(
  watching: Watching,
  { get, attributes, ...rest }: NodesWatch,
): AsyncGenerator<WatchEvent<NodeResult>, void, undefined> {
  checkOptions<object>('watch', rest, {});
  const { feed } = watching;
  const ids = [...get];
  const read = async (some: readonly string[]): Promise<NodeResult[]> =>
    // A record tells that a view has changed, and a consistent read gives this state of it or a later one.
    hold(watching, async (context) => (await readNodes(context, some, { attributes, consistent: true })).nodes);
  const subscription = feed.subscribe({ sources: ids });
  try {
    let nodes = await read(ids);
    yield { type: 'page', items: nodes, upTo: feed.upTo };
    for (let renewMs = feed.now() + RENEW_MS; ; ) {
      const { records, gap } = await newsOf(watching, subscription, renewMs);
      // A view may be made from other items once the model is migrated: no record has to tell of it.
      const isDue = gap !== undefined || feed.now() >= renewMs;
      if (isDue) renewMs = feed.now() + RENEW_MS;
      const changed = new Set(records.map(({ source }) => source));
      const toRead = isDue ? ids : ids.filter((id) => changed.has(id));
      if (toRead.length === 0) continue;
      const found = new Map((await read(toRead)).map((node) => [node.id, node]));
      const before = nodes;
      nodes = before.map((node) => found.get(node.id) ?? node);
      if (gap !== undefined) {
        yield { type: 'resync', reason: gap, upTo: feed.upTo };
        yield { type: 'page', items: nodes, upTo: feed.upTo };
        continue;
      }
      for (const [at, item] of nodes.entries()) {
        if (!isDeepStrictEqual(item, before[at])) yield { type: 'change', item, at, upTo: feed.upTo };
      }
    }
  } finally {
    subscription.end();
  }
}

/** Reads under a lease. */
async function hold<T>({ context, leases, signal }: Watching, read: (context: ReadContext) => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  return await leases.hold((projections) => read({ ...context, projections }));
}

/** Waits for news until a time, or until the lease has to be renewed. */
async function newsOf({ feed, signal }: Watching, subscription: Subscription, untilMs: number) {
  const wake = (): void => subscription.wake();
  signal?.addEventListener('abort', wake, { once: true });
  try {
    signal?.throwIfAborted();
    const news = await subscription.take(Math.min(RENEW_MS, Math.max(0, untilMs - feed.now())));
    signal?.throwIfAborted();
    feed.throwFailure();
    return news;
  } finally {
    signal?.removeEventListener('abort', wake);
  }
}
