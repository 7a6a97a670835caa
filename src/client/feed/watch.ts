import { isDeepStrictEqual } from 'node:util';
import { isTextList } from '../../core/items/attribute-value.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../foundation/options.ts';
import type { Abortable } from '../../foundation/runtime.ts';
import type { ReaderLeases } from '../../registry/reader-lease.ts';
import { edgeOfItem, resolveInboundQuery } from '../read/lists/inbound.ts';
import { EDGE_CHOICE_OPTIONS, type InboundQuery } from '../read/lists/inbound-query.ts';
import { hitOfItem, resolveSearch } from '../read/lists/search-list.ts';
import type { SearchPredicate, SearchQuery } from '../read/lists/search-query.ts';
import { type AttributeSelection, checkIds, getViews } from '../read/nodes/views.ts';
import { LivingStore } from '../read/request/living-store.ts';
import { findSearch } from '../read/request/lookup.ts';
import { checkLimit, type ReadContext } from '../read/request/read-context.ts';
import type { EdgeResult, SearchResult, View } from '../read/request/result.ts';
import type { Feed, Subscription } from './feed.ts';
import { interestOf, joinList, type SharedList } from './shared-list.ts';
import type { WatchEvent } from './watch-types.ts';
import type { ListQuery, WatchedList } from './watched-list.ts';

/** Options of pages that a watched list doesn't have. */
export type OfPages = 'cursor' | 'consistent' | 'signal' | 'capacity' | 'includeExpired';

/** The options of `inbound` that choose a list. */
export type InboundOfWatch<Query = InboundQuery> = Omit<Query, OfPages | 'includeTarget'>;

const INBOUND_OF_WATCH: OptionNames<InboundOfWatch> = {
  ...EDGE_CHOICE_OPTIONS,
  reverse: 'boolean',
  limit: true,
  where: true,
  maxRcu: true,
};

/** The options of a search that choose a list. */
export type SearchOfWatch<Query = SearchQuery> = Omit<Query, OfPages>;

/** A watched list: the target and the edge type. */
export type InboundWatch = { inbound: readonly [target: string, type: string] } & InboundOfWatch;

/** A watched search. */
export type SearchWatch = { search: string } & SearchPredicate & SearchOfWatch;

/** Watched nodes, as `getViews` gives them. */
export interface ViewsWatch {
  views: readonly string[];
  attributes?: AttributeSelection | undefined;
}

/** What to watch: a list or nodes. */
export type WatchQuery = InboundWatch | SearchWatch | ViewsWatch;

/** Each watcher holds them all in memory. */
export const MAX_WATCHED_ROWS = 1_000;
/** How often a reader's lease is renewed, in milliseconds: a migration may move the list. */
const RENEW_MS = 10_000;
const MOVED = 'The list has moved: the table was migrated to another model.';

interface Watching {
  context: ReadContext;
  leases: ReaderLeases;
  feed: Feed;
  signal: AbortSignal | undefined;
}

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
  if ('inbound' in query) yield* watchList(watching, query, (held) => edgesOf(held, query));
  else if ('search' in query) yield* watchList(watching, query, (held) => hitsOf(held, query));
  else yield* watchNodes(watching, query);
}

/** The query may come from a client. */
function checkPlaces(query: unknown): void {
  const { inbound, search, views } = (query ?? {}) as Partial<Record<'inbound' | 'search' | 'views', unknown>>;
  const given = [inbound, search, views].filter((place) => place !== undefined);
  const isRight =
    typeof search === 'string' ||
    (inbound !== undefined ? isTextList(inbound) && inbound.length === 2 : isTextList(views));
  if (given.length === 1 && isRight) return;
  throw new EdgeloomError(
    'invalid-argument',
    'watch takes a list or nodes, one of them.',
    "Give { inbound: [id, type] }, { search: 'TYPE.name' } or { views: [ids] }.",
  );
}

function edgesOf(context: ReadContext, { inbound, ...options }: InboundWatch): ListQuery<EdgeResult> {
  checkOptions('watch', options, INBOUND_OF_WATCH);
  const [target, type] = inbound;
  const { list } = resolveInboundQuery(context, target, type, options);
  return { ...list, limit: checkRows(options.limit), resultOf: (item) => edgeOfItem(context, type, target, item) };
}

function hitsOf(context: ReadContext, { search: name, ...query }: SearchWatch): ListQuery<SearchResult> {
  const { partition, where, maxRcu, reverse, limit, ...predicate } = query as SearchQuery & SearchPredicate;
  const search = findSearch(context.graph, name);
  const options = { partition, where, maxRcu, reverse };
  const { list } = resolveSearch(context, search, predicate as SearchPredicate, options);
  return { ...list, limit: checkRows(limit), resultOf: (item) => hitOfItem(context, list.index, item) };
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
  asked: object,
  resolve: (context: ReadContext) => ListQuery<Result>,
): AsyncGenerator<WatchEvent<Result>, void, undefined> {
  const { feed, leases } = watching;
  let followed: Followed = { reason: undefined, shownMs: 0 };
  for (;;) {
    const query = await hold(watching, async (context) => resolve(context));
    const shared = joinList(feed, leases, asked, query);
    try {
      // The list takes the records itself.
      const subscription = feed.subscribe(interestOf(query), () => undefined);
      try {
        followed = yield* followList(watching, subscription, shared, resolve, followed);
      } finally {
        subscription.end();
      }
    } finally {
      shared.leave();
    }
  }
}

interface Followed {
  reason: string | undefined;
  shownMs: number;
}

/** Until the list has to be read from the beginning. */
async function* followList<Result>(
  watching: Watching,
  subscription: Subscription,
  shared: SharedList<Result>,
  resolve: (context: ReadContext) => ListQuery<Result>,
  before: Followed,
): AsyncGenerator<WatchEvent<Result>, Followed, undefined> {
  const { list } = shared;
  let { shownMs } = before;
  let told: ListState['rows'] | undefined;
  const endBy = (reason: string): Followed => ({ reason: told === undefined ? before.reason : reason, shownMs });
  for (let throughMs = 0; ; ) {
    const state = await listNow(watching, shared, resolve, throughMs);
    if (state === 'moved') return endBy(MOVED);
    if (state !== undefined && told === undefined) {
      if (before.reason !== undefined) yield { type: 'resync', reason: before.reason, upTo: isoTime(shownMs) };
      yield { type: 'page', items: state.rows.map((row) => list.resultOf(row)), upTo: isoTime(state.shownMs) };
    }
    const steps = state === undefined || told === undefined ? [] : list.stepsBetween(told, state.rows);
    // Only after the last step does the list show all of them.
    for (const [i, step] of steps.entries())
      yield { ...step, upTo: isoTime(i === steps.length - 1 ? state!.shownMs : shownMs) };
    if (state !== undefined) ({ rows: told, shownMs } = state);
    const news = await newsOf(watching, subscription, shared.nextMs);
    if (news.gap !== undefined) return endBy(news.gap);
    throughMs = news.throughMs ?? 0;
  }
}

interface ListState extends Pick<WatchedList<unknown>, 'rows'>, Pick<SharedList<unknown>, 'shownMs'> {}

/** Undefined if not known yet. */
async function listNow<Result>(
  watching: Watching,
  shared: SharedList<Result>,
  resolve: (context: ReadContext) => ListQuery<Result>,
  throughMs: number,
): Promise<ListState | 'moved' | undefined> {
  const { list } = shared;
  let reads = 0;
  return await hold(watching, async (context) => {
    if (!list.isIn(resolve(context).partitions)) return 'moved';
    // The registry changed during the read.
    if (reads > 0) shared.readAgain();
    reads += 1;
    return await shared.refresh(context, throughMs, () => ({ rows: list.rows, shownMs: shared.shownMs }));
  });
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
  { views, attributes, ...rest }: ViewsWatch,
): AsyncGenerator<WatchEvent<View | null>, void, undefined> {
  checkOptions<object>('watch', rest, {});
  const { feed } = watching;
  const ids = watchedIds(views);
  let endMs = Number.POSITIVE_INFINITY;
  const readViews = (some: readonly string[]): Promise<(View | null)[]> =>
    hold(watching, (context) => {
      const { store } = context;
      const told = store instanceof LivingStore ? store.telling((atMs) => (endMs = Math.min(endMs, atMs))) : store;
      // The record is of this view, so a consistent read gives the same state or a later one.
      return getViews({ ...context, store: told }, some, { attributes, consistent: true });
    });
  let changed = new Set<string>();
  const subscription = feed.subscribe({ sources: ids }, ({ source }) => changed.add(source));
  try {
    let shownMs = feed.now();
    let nodes = await readViews(ids);
    yield { type: 'page', items: nodes, upTo: isoTime(shownMs) };
    for (let renewMs = feed.now() + RENEW_MS; ; ) {
      const { gap, throughMs = 0 } = await newsOf(watching, subscription, Math.min(renewMs, endMs));
      // A migrated model may build the view from other items, which no record announces.
      const readMs = feed.now();
      const isDue = gap !== undefined || readMs >= Math.min(renewMs, endMs);
      if (isDue) {
        renewMs = readMs + RENEW_MS;
        endMs = Number.POSITIVE_INFINITY;
      }
      const beforeMs = shownMs;
      // A consistent read of all nodes shows everything projected before it.
      shownMs = Math.max(shownMs, isDue ? readMs : throughMs);
      const toRead = isDue ? ids : ids.filter((id) => changed.has(id));
      changed = new Set();
      if (toRead.length === 0) continue;
      const read = await readViews(toRead);
      const found = new Map(toRead.map((id, i) => [id, read[i]]));
      const before = nodes;
      nodes = before.map((node, at) => (found.has(ids[at]!) ? (found.get(ids[at]!) ?? null) : node));
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

async function hold<T>({ context, leases, signal }: Watching, read: (context: ReadContext) => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  return await unlessAborted(
    leases.hold((projections) => read({ ...context, projections })),
    signal,
  );
}

/** Without cancelling work that is shared with others. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  let end = (): void => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    end = () => reject(signal.reason);
  });
  // Either may reject when nobody waits any more.
  for (const one of [work, ended]) one.catch(() => undefined);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

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
