import { isDeepStrictEqual } from 'node:util';
import { isTextList } from '../../core/items/attribute-value.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../foundation/options.ts';
import type { Abortable } from '../../foundation/runtime.ts';
import type { ReaderLeases } from '../../registry/reader-lease.ts';
import { edgeOfItem, type InboundQuery, resolveInboundQuery } from '../read/lists/inbound.ts';
import { hitTest } from '../read/lists/scatter.ts';
import { hitOfItem, resolveSearchQuery, type SearchPredicate, type SearchQuery } from '../read/lists/search.ts';
import { type AttributeSelection, checkIds, readNodes } from '../read/nodes/views.ts';
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

/** Rows of a watched list, and watched nodes, at most: whoever watches holds them all. */
export const MAX_WATCHED_ROWS = 1_000;
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
  checkPlaces(query);
  if ('inbound' in query) yield* watchList(watching, (held) => edgesOf(held, query));
  else if ('search' in query) yield* watchList(watching, (held) => hitsOf(held, query));
  else yield* watchNodes(watching, query);
}

/** Checks what is to be watched: a client may have sent it. */
function checkPlaces(query: unknown): void {
  const { inbound, search, get } = (query ?? {}) as Partial<Record<'inbound' | 'search' | 'get', unknown>>;
  const given = [inbound, search, get].filter((place) => place !== undefined);
  const isRight =
    typeof search === 'string' ||
    (inbound !== undefined ? isTextList(inbound) && inbound.length === 2 : isTextList(get));
  if (given.length === 1 && isRight) return;
  throw new EdgeloomError(
    'invalid-argument',
    'watch takes a list or nodes, one of them.',
    "Give { inbound: [type, id] }, { search: 'TYPE.name' } or { get: [ids] }.",
  );
}

function edgesOf(context: ReadContext, { inbound, ...options }: InboundWatch): ListQuery<EdgeResult> {
  checkOptions('watch', options, INBOUND_OF_WATCH);
  const [type, target] = inbound;
  const { index, partitions, range, reverse, where, itemKeys } = resolveInboundQuery(context, type, target, options);
  return {
    ...{ index, partitions, range, where, isReverse: reverse, limit: checkRows(options.limit) },
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
    limit: checkRows(limit),
    resultOf: (item) => hitOfItem(context, item),
  };
}

function checkRows(limit: number | undefined): number {
  const rows = checkLimit(limit);
  if (rows <= MAX_WATCHED_ROWS) return rows;
  throw new EdgeloomError(
    'invalid-limit',
    `limit of a watched list is at most ${MAX_WATCHED_ROWS}, but is ${rows}.`,
    'Watch its beginning, and read what follows in pages.',
  );
}

async function* watchList<Result>(
  watching: Watching,
  resolve: (context: ReadContext) => ListQuery<Result>,
): AsyncGenerator<WatchEvent<Result>, void, undefined> {
  const { feed } = watching;
  let reason: string | undefined;
  for (let shownMs = 0; ; ) {
    const query = await hold(watching, async (context) => resolve(context));
    const list = new WatchedList(query, feed.indexGraceMs);
    const subscription = feed.subscribe({ partitions: query.partitions }, (record) => list.receive(record, feed.now()));
    const beganMs = feed.now();
    try {
      const isThere = await hold(watching, async (context) => {
        if (!list.isIn(resolve(context).partitions)) return false;
        await list.begin(context, feed.now);
        list.takeSteps();
        return true;
      });
      if (!isThere) continue;
      if (reason !== undefined) yield { type: 'resync', reason, upTo: isoTime(shownMs) };
      shownMs = beganMs - feed.indexGraceMs;
      yield { type: 'page', items: list.results, upTo: isoTime(shownMs) };
      ({ reason, shownMs } = yield* followList(watching, subscription, list, resolve, shownMs));
    } finally {
      subscription.end();
    }
  }
}

/** The end of following a list: the reason why it has to be read from the beginning, and up to when it shows all changes. */
interface Followed {
  reason: string;
  shownMs: number;
}

/** Follows a list until it has to be read from the beginning. @param shownMs up to when it shows all changes. */
async function* followList<Result>(
  watching: Watching,
  subscription: Subscription,
  list: WatchedList<Result>,
  resolve: (context: ReadContext) => ListQuery<Result>,
  shownMs: number,
): AsyncGenerator<WatchEvent<Result>, Followed, undefined> {
  const { feed } = watching;
  // A change from just before the subscription has no record in it, and the index may not have shown it.
  let readAgainMs = feed.now() + feed.indexGraceMs;
  for (let beforeMs = shownMs, latestMs = shownMs; ; beforeMs = latestMs) {
    const { gap, throughMs = 0 } = await newsOf(watching, subscription, readAgainMs);
    if (gap !== undefined) return { reason: gap, shownMs: beforeMs };
    const readMs = feed.now();
    const isDue = readMs >= readAgainMs;
    const steps = await hold(watching, async (context) => {
      if (!list.isIn(resolve(context).partitions)) return undefined;
      if (isDue) await list.begin(context, feed.now);
      else await list.complete(context, feed.now);
      // At once: the next record may leave the list without its last rows for a moment.
      return list.takeSteps();
    });
    if (steps === undefined) return { reason: MOVED, shownMs: beforeMs };
    if (isDue) {
      readAgainMs = Number.POSITIVE_INFINITY;
      latestMs = Math.max(latestMs, readMs - feed.indexGraceMs);
    }
    readAgainMs = Math.min(readAgainMs, list.readAgainMs);
    // Until then a change may be missing that no record tells of.
    if (readAgainMs === Number.POSITIVE_INFINITY) latestMs = Math.max(latestMs, throughMs);
    // The last step alone leads to the list that shows all of them.
    for (const [i, step] of steps.entries())
      yield { ...step, upTo: isoTime(i === steps.length - 1 ? latestMs : beforeMs) };
  }
}

function watchedIds(ids: readonly string[]): string[] {
  checkIds(ids);
  if (ids.length <= MAX_WATCHED_ROWS) return [...ids];
  throw new EdgeloomError(
    'invalid-limit',
    `watch takes at most ${MAX_WATCHED_ROWS} nodes, but got ${ids.length}.`,
    'Watch those that are shown.',
  );
}

async function* watchNodes(
  watching: Watching,
  { get, attributes, ...rest }: NodesWatch,
): AsyncGenerator<WatchEvent<NodeResult>, void, undefined> {
  checkOptions<object>('watch', rest, {});
  const { feed } = watching;
  const ids = watchedIds(get);
  const read = async (some: readonly string[]): Promise<NodeResult[]> =>
    // A record tells that a view has changed, and a consistent read gives this state of it or a later one.
    hold(watching, async (context) => (await readNodes(context, some, { attributes, consistent: true })).nodes);
  let changed = new Set<string>();
  const subscription = feed.subscribe({ sources: ids }, ({ source }) => changed.add(source));
  try {
    let shownMs = feed.now();
    let nodes = await read(ids);
    yield { type: 'page', items: nodes, upTo: isoTime(shownMs) };
    for (let renewMs = feed.now() + RENEW_MS; ; ) {
      const { gap, throughMs = 0 } = await newsOf(watching, subscription, renewMs);
      // A view may be made from other items once the model is migrated: no record has to tell of it.
      const readMs = feed.now();
      const isDue = gap !== undefined || readMs >= renewMs;
      if (isDue) renewMs = readMs + RENEW_MS;
      const beforeMs = shownMs;
      // A consistent read of all nodes shows what was projected before it.
      shownMs = Math.max(shownMs, isDue ? readMs : throughMs);
      const toRead = isDue ? ids : ids.filter((id) => changed.has(id));
      changed = new Set();
      if (toRead.length === 0) continue;
      const found = new Map((await read(toRead)).map((node) => [node.id, node]));
      const before = nodes;
      nodes = before.map((node) => found.get(node.id) ?? node);
      if (gap !== undefined) {
        yield { type: 'resync', reason: gap, upTo: isoTime(beforeMs) };
        yield { type: 'page', items: nodes, upTo: isoTime(shownMs) };
        continue;
      }
      const changes = [...nodes.entries()].filter(([at, item]) => !isDeepStrictEqual(item, before[at]));
      for (const [i, [at, item]] of changes.entries())
        yield { type: 'change', item, at, upTo: isoTime(i === changes.length - 1 ? shownMs : beforeMs) };
    }
  } finally {
    subscription.end();
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
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
