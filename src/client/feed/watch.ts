import { type Item, isTextList } from '../../core/items/attribute-value.ts';
import { textOfKey } from '../../core/items/keys.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../foundation/options.ts';
import type { Abortable } from '../../foundation/runtime.ts';
import type { ReaderLeases } from '../../registry/reader-lease.ts';
import { untilAborted } from '../../store/abortable.ts';
import { walkedItem } from '../../store/table-walk.ts';
import { DEFAULT_MAX_RCU } from '../read/lists/budget.ts';
import { edgeOfItem, resolveInboundQuery } from '../read/lists/inbound.ts';
import { EDGE_CHOICE_OPTIONS, type InboundQuery } from '../read/lists/inbound-query.ts';
import { readNativePage } from '../read/lists/native-list.ts';
import type { PlacedList } from '../read/lists/placed-list.ts';
import { mergePartitions } from '../read/lists/scatter.ts';
import { hitOfItem, resolveSearch } from '../read/lists/search-list.ts';
import type { SearchPredicate, SearchQuery } from '../read/lists/search-query.ts';
import { type AttributeSelection, checkIds, getViews } from '../read/nodes/views.ts';
import { findSearch } from '../read/request/lookup.ts';
import { checkLimit, type ReadContext } from '../read/request/read-context.ts';
import type { EdgeResult, SearchResult, View } from '../read/request/result.ts';
import { entryIn } from './known-items.ts';
import { stepsBetween } from './list-steps.ts';
import { type Question, SharedAnswer } from './shared-answer.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { WatchEvent } from './watch-types.ts';

/** Options of pages that watched lists don't have. */
export type OfPages = 'cursor' | 'consistent' | 'signal' | 'capacity' | 'includeExpired';

/** Options of `inbound` that also apply to a watched list. */
export type InboundOfWatch<Query = InboundQuery> = Omit<Query, OfPages | 'includeTarget'>;

const INBOUND_OF_WATCH: OptionNames<InboundOfWatch> = {
  ...EDGE_CHOICE_OPTIONS,
  reverse: 'boolean',
  limit: 'checked',
  where: true,
  maxRcu: 'checked',
};

/** Options of a search that also apply to a watched list. */
export type SearchOfWatch<Query = SearchQuery> = Omit<Query, OfPages>;

const SEARCH_OF_WATCH: OptionNames<SearchOfWatch> = {
  partition: true,
  where: true,
  maxRcu: 'checked',
  reverse: 'boolean',
  limit: 'checked',
};

export type InboundWatch = { inbound: readonly [target: string, type: string] } & InboundOfWatch;

export type SearchWatch = { search: string } & SearchPredicate & SearchOfWatch;

/** Watches nodes as `getViews` returns them. */
export interface ViewsWatch {
  views: readonly string[];
  attributes?: AttributeSelection | undefined;
}

export type WatchQuery = InboundWatch | SearchWatch | ViewsWatch;

/** Bounds the rows or nodes of a watch, because all are held in memory. */
export const MAX_WATCHED_ROWS = 1_000;

export async function* watch(
  context: ReadContext,
  leases: ReaderLeases,
  { feed, answers }: { feed: Subscriptions; answers: Map<string, SharedAnswer<unknown>> },
  query: WatchQuery,
  options: Abortable = {},
): AsyncGenerator<WatchEvent, void, undefined> {
  checkOptions('watch', options, { signal: true });
  checkPlaces(query);
  const { signal } = options;
  const resolve = (held: ReadContext): Question<unknown> => {
    if ('inbound' in query) return edgesOf(held, query);
    return 'search' in query ? hitsOf(held, query) : nodesOf(query);
  };
  const question = await unlessAborted(
    leases.hold(async (projections) => resolve({ ...context, projections })),
    signal,
  );
  const name = nameOf([query, question]);
  // A new answer may have taken the name by the time this one ends.
  const onEnd = (ended: unknown): boolean => answers.get(name) === ended && answers.delete(name);
  const answer = answers.get(name) ?? new SharedAnswer(feed, leases, context, resolve, onEnd);
  answers.set(name, answer);
  answer.join();
  try {
    yield* eventsOf(answer, signal);
  } finally {
    answer.leave();
  }
}

async function* eventsOf<Item>(
  answer: SharedAnswer<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent<Item>, void, undefined> {
  let { rows, upToMs } = await unlessAborted(answer.next(undefined), signal);
  yield { type: 'page', items: rows.map(({ item }) => item), upTo: isoTime(upToMs) };
  for (;;) {
    const now = await unlessAborted(answer.next(rows), signal);
    const steps = stepsBetween(rows, now.rows);
    // The list shows all changes only after the last step.
    for (const [i, step] of steps.entries())
      yield { ...step, upTo: isoTime(i === steps.length - 1 ? now.upToMs : upToMs) };
    ({ rows, upToMs } = now);
  }
}

/** The query may come from an untrusted client. */
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

function edgesOf(context: ReadContext, { inbound, ...options }: InboundWatch): Question<EdgeResult> {
  checkOptions('watch', options, INBOUND_OF_WATCH);
  const [target, type] = inbound;
  const { list } = resolveInboundQuery(context, target, type, options);
  return listOf(list, options.limit, (held, item) => edgeOfItem(held, type, target, item));
}

function hitsOf(context: ReadContext, { search: name, ...query }: SearchWatch): Question<SearchResult> {
  const { partition, where, maxRcu, reverse, limit, ...predicate } = query as SearchQuery & SearchPredicate;
  const options = { partition, where, maxRcu, reverse };
  checkOptions('watch', { ...options, limit }, SEARCH_OF_WATCH);
  const search = findSearch(context.graph, name);
  const { list } = resolveSearch(context, search, predicate as SearchPredicate, options);
  return listOf(list, limit, (held, item) => hitOfItem(held, list.index, item));
}

function listOf<Result>(
  list: PlacedList,
  given: number | undefined,
  resultOf: (context: ReadContext, item: Item) => Result,
): Question<Result> {
  const limit = checkRows(given);
  const { native, partitions: names } = list;
  const ofPage = { ...list, limit, after: undefined };
  return {
    ...{ names, list: ofPage, isConsistent: false },
    async read(context) {
      const { items, lastKey } =
        native === undefined
          ? await mergePartitions(context, ofPage)
          : await readNativePage(context, native, { ...ofPage, own: [] });
      if (lastKey !== undefined && items.length < limit) throw listNotFilled(list, limit);
      return items.map((item) => ({
        id: textOfKey(walkedItem(context.graph, item)),
        place: entryIn(list.index, item)?.sort ?? '',
        item: resultOf(context, item),
      }));
    },
  };
}

function checkRows(limit: number | undefined): number {
  const rows = checkLimit(limit);
  if (rows <= MAX_WATCHED_ROWS) return rows;
  throw new EdgeloomError(
    'invalid-argument',
    `limit of a watched list is at most ${MAX_WATCHED_ROWS}, but is ${rows}.`,
    'Watch its beginning, and read what follows in pages.',
  );
}

function listNotFilled({ maxRcu = DEFAULT_MAX_RCU }: PlacedList, limit: number): EdgeloomError {
  return new EdgeloomError(
    'list-not-filled',
    `${maxRcu} read units did not find the first ${limit} rows of the watched list: its index has many items that the list leaves out.`,
    'Watch a narrower range, or fewer rows; or raise maxRcu.',
  );
}

function nodesOf({ views, attributes, ...rest }: ViewsWatch): Question<View | null> {
  checkOptions<object>('watch', rest, {});
  const ids = watchedIds(views);
  return {
    ...{ names: ids, isConsistent: true },
    async read(context, changed, before) {
      const toRead = changed === undefined ? ids : ids.filter((id) => changed.has(id));
      const read = await getViews(context, toRead, { attributes, consistent: true });
      const found = new Map(toRead.map((id, i) => [id, read[i] ?? null]));
      return ids.map((id, at) => {
        const item = found.get(id);
        return item === undefined ? before[at]! : { id: String(at), place: '', item };
      });
    },
  };
}

function watchedIds(ids: readonly string[]): string[] {
  checkIds(ids);
  if (ids.length <= MAX_WATCHED_ROWS) return [...ids];
  throw new EdgeloomError(
    'invalid-argument',
    `watch takes at most ${MAX_WATCHED_ROWS} nodes, but got ${ids.length}.`,
    'Watch those that are shown.',
  );
}

/** JSON leaves out functions. They follow from the query, so equal names still mean equal questions. */
function nameOf(queries: readonly object[]): string {
  return JSON.stringify(queries, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Stops waiting when the signal is aborted, without canceling the work, which other callers may share. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  const result = await untilAborted(signal, work);
  // `untilAborted` returns work that has already finished, even after an abort.
  signal.throwIfAborted();
  return result;
}
