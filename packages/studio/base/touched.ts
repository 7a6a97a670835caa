import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Feed } from '../../../src/client/feed/feed.ts';
import { resolveInboundQuery } from '../../../src/client/read/lists/inbound.ts';
import { readContext } from '../../../src/client/read/reader-options.ts';
import type { StudioContext } from './context.ts';
import { input } from './route.ts';

/** Places of the table that somebody looks at. */
export const touchedPlaces = z.object({
  /** Node ids: all that lies in their partitions. */
  sources: z.array(input.id).max(5_000),
  /** Lists of incoming edges, in an order that every edge of the list is in; the default one where none is named. */
  lists: z
    .array(
      z.object({
        type: input.id,
        id: input.id,
        order: z.string().optional(),
        partition: z.string().optional(),
      }),
    )
    .max(1_000)
    .default([]),
});

/** The places, as a page names them. */
export type TouchedPlaces = z.input<typeof touchedPlaces>;

/** The lists' partitions are looked up again so often, in milliseconds: the table may be migrated to others. */
const RENEW_MS = 10_000;

/**
 * Tells each time that something in these places may have changed: once at the beginning, soon after records of it have come, and once more
 * when an index that lags has it too. Ends when the signal is aborted; throws where the feed ends.
 */
export async function followTouched(
  context: StudioContext,
  feed: Feed,
  looked: z.output<typeof touchedPlaces>,
  signal: AbortSignal,
  tell: () => void,
): Promise<void> {
  const { sources, lists } = looked;
  for (;;) {
    const places = await placesOf(context, lists);
    const subscription = feed.subscribe({ sources, ...places }, () => undefined);
    const wake = (): void => subscription.wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      tell();
      for (let lateMs = Number.POSITIVE_INFINITY, renewMs = feed.now() + RENEW_MS; ; ) {
        const { records, gap } = await subscription.take(Math.max(0, Math.min(lateMs, renewMs) - feed.now()));
        if (signal.aborted) return;
        feed.throwFailure();
        const nowMs = feed.now();
        if (records > 0 || gap !== undefined) {
          tell();
          if (lists.length > 0) lateMs = nowMs + feed.indexGraceMs;
        } else if (nowMs >= lateMs) {
          tell();
          lateMs = Number.POSITIVE_INFINITY;
        }
        if (nowMs < renewMs) continue;
        if (!isDeepStrictEqual(await placesOf(context, lists), places)) break;
        renewMs = feed.now() + RENEW_MS;
      }
    } finally {
      signal.removeEventListener('abort', wake);
      subscription.end();
    }
  }
}

/** The index partitions in which the lists lie now, those of native lists by themselves. */
async function placesOf(
  { graph, store, leases }: StudioContext,
  lists: z.output<typeof touchedPlaces>['lists'],
): Promise<{ partitions: string[]; natives: string[] }> {
  if (lists.length === 0) return { partitions: [], natives: [] };
  return await leases.hold(async (projections) => {
    const context = { ...readContext(graph, { store, leases }), projections };
    const queries = lists.map(({ type, id, order, partition }) =>
      resolveInboundQuery(context, id, type, { order, partition }),
    );
    const partitionsOf = (isNative: boolean): string[] =>
      queries.filter(({ native }) => (native !== undefined) === isNative).flatMap(({ partitions }) => partitions);
    return { partitions: partitionsOf(false), natives: partitionsOf(true) };
  });
}
