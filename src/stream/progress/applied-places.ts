import * as z from 'zod/mini';
import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { unchangedCondition } from '../../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import { streamLabel } from '../../core/items/stream-arn.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import { forEachAtOnce } from '../../foundation/for-each.ts';

/**
 * The items that say how far the table's stream is applied. `mark` is for the whole stream, and holds the lease of the process that
 * moves it. `mark/<shard>` is for one shard: the next walk begins there.
 */

/** How far one shard is applied. */
export interface AppliedPlace {
  /** The label of its stream. A shard of another stream may have the same name. */
  stream: string;
  /** The last record up to which all records are applied. */
  sequenceNumber: string;
}

/** How far one shard is applied, as a process has published it. */
export interface PublishedShard {
  shardId: string;
  /** Number of records that no claim holds. */
  open: number;
  /** When the oldest of them was made, in milliseconds since 1970; absent if there is none. */
  oldestMs?: number | undefined;
  /** True if the stream lists it, closed, but no longer has it. */
  isLost?: boolean | undefined;
}

/** The low watermark of a whole stream, as a process has published it. */
export interface PublishedLowWatermark {
  /** The ARN of its stream. */
  streamArn: string;
  /** Every record made before this time is applied, in milliseconds since 1970; absent if that is not known. */
  upToMs?: number | undefined;
  /** When the walk of the stream began, in milliseconds since 1970. */
  lookedAtMs: number;
  /** How far each shard is applied; absent if there are too many of them. */
  shards?: readonly PublishedShard[] | undefined;
  /** When it was seen that the table had another stream before, in milliseconds since 1970; absent: no low watermark was published of one. */
  renewedMs?: number | undefined;
  /** The process that moves the low watermark, and the end of its lease in milliseconds since 1970: until then no other process moves it. */
  holder: string;
  leaseUntilMs: number;
}

/** The values that saving places needs. */
interface PlaceContext {
  graph: { table: TableNames };
  store: Pick<Store, 'put'>;
  source: { streamArn: string };
  now: () => number;
}

/** Places that are saved at once. */
const PLACES_AT_ONCE = 32;
const SUMMARY = { source: SERVICE_PARTITION, target: 'mark' } as const;
const PREFIX = 'mark/';
/** With more shards the published low watermark would cost several units a write, and is published without them. */
export const MOST_PUBLISHED_SHARDS = 50;
const STATE = 'state';
/** How long a shard's place is kept: longer than its last record stays in the stream. */
const KEPT_SECONDS = 48 * 3600;

const publishedSchema = z.object({
  streamArn: z.string(),
  upToMs: z.optional(z.number()),
  lookedAtMs: z.number(),
  shards: z.optional(
    z.array(
      z.object({
        shardId: z.string(),
        open: z.number(),
        oldestMs: z.optional(z.number()),
        isLost: z.optional(z.boolean()),
      }),
    ),
  ),
  renewedMs: z.optional(z.number()),
  holder: z.string(),
  leaseUntilMs: z.number(),
});
const placeSchema = z.object({ stream: z.string(), sequenceNumber: z.string().check(z.regex(/^\d{1,99}$/)) });

/**
 * Reads the applied places of all shards of a stream.
 *
 * @param stream the stream's label.
 */
export async function readAppliedPlaces(
  store: Pick<Store, 'query'>,
  table: TableNames,
  stream: string,
): Promise<Map<string, AppliedPlace>> {
  const places = new Map<string, AppliedPlace>();
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: PREFIX }, consistent: true };
  for await (const item of queriedItems(store, request)) {
    const place = stateOf(item, placeSchema);
    const shardId = stringOf(item[table.sortKey])?.slice(PREFIX.length);
    if (place?.stream === stream && shardId !== undefined) places.set(shardId, place);
  }
  return places;
}

/** Saves the applied place of a shard. */
export async function saveAppliedPlace(
  store: Pick<Store, 'put'>,
  table: TableNames,
  shardId: string,
  place: AppliedPlace,
  nowMs: number,
): Promise<void> {
  await store.put({
    [table.partitionKey]: { S: SERVICE_PARTITION },
    [table.sortKey]: { S: `${PREFIX}${shardId}` },
    [STATE]: { S: JSON.stringify(place) },
    [table.ttl]: { N: String(Math.floor(nowMs / 1000) + KEPT_SECONDS) },
  });
}

/**
 * Saves how far a look has found each shard applied, so that the next process begins there. Who may not write, or cannot now, leaves the
 * older places: they cost the next process more reads.
 */
export async function saveAppliedPlaces(
  { graph, store, source, now }: PlaceContext,
  shards: readonly { shardId: string; appliedUpTo?: string | undefined }[],
): Promise<void> {
  const stream = streamLabel(source.streamArn);
  try {
    await forEachAtOnce(
      shards,
      async ({ shardId, appliedUpTo: sequenceNumber }) => {
        if (sequenceNumber !== undefined)
          await saveAppliedPlace(store, graph.table, shardId, { stream, sequenceNumber }, now());
      },
      { concurrency: PLACES_AT_ONCE },
    );
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

/** Reads the published low watermark, and the item that holds it. */
export async function readPublishedLowWatermark(
  store: Pick<Store, 'get'>,
): Promise<{ item: Item | undefined; published: PublishedLowWatermark | undefined }> {
  const { item } = await store.get(SUMMARY, { consistent: true });
  return { item, published: item && stateOf(item, publishedSchema) };
}

/** Publishes a low watermark, unless another process has written the item since it was read as `seen`; returns whether it did. */
export async function publishLowWatermark(
  store: Pick<Store, 'update'>,
  seen: Item | undefined,
  lowWatermark: PublishedLowWatermark,
): Promise<boolean> {
  const { applied } = await store.update({
    key: SUMMARY,
    set: { [STATE]: { S: JSON.stringify(lowWatermark) } },
    unset: [],
    condition: unchangedCondition(seen, undefined),
  });
  return applied;
}

function stateOf<T>(item: Item, schema: z.ZodMiniType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(stringOf(item[STATE]) ?? 'null'));
  } catch {
    // An item of another version counts as absent: the walk begins at the oldest record.
    return undefined;
  }
}
