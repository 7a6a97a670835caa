import * as z from 'zod/mini';
import { type Item, jsonOf, stringOf } from '../../core/items/attribute-value.ts';
import { unchangedCondition } from '../../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import { streamLabel } from '../../core/items/stream-arn.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import { forEachAtOnce } from '../../foundation/for-each.ts';

export interface AppliedPlace {
  /** The stream's label, because another stream may have a shard of the same name. */
  stream: string;
  sequenceNumber: string;
}

export interface PublishedShard {
  shardId: string;
  open: number;
  oldestMs?: number | undefined;
  /** True if the shard is still listed, but has left the stream. */
  isLost?: boolean | undefined;
}

export interface PublishedLowWatermark {
  streamArn: string;
  /** All records from before this time are applied, in milliseconds since 1970; absent if unknown. */
  upToMs?: number | undefined;
  lookedAtMs: number;
  shards?: readonly PublishedShard[] | undefined;
  /** When the table was found to have a new stream; absent if no low watermark of an earlier stream was published. */
  renewedMs?: number | undefined;
  holder: string;
  leaseUntilMs: number;
}

interface PlaceContext {
  graph: { table: TableNames };
  store: Pick<Store, 'put'>;
  source: { streamArn: string };
  now: () => number;
}

const PLACES_AT_ONCE = 32;
/** Also holds the lease for moving the low watermark. */
const SUMMARY = { source: SERVICE_PARTITION, target: 'mark' } as const;
const PREFIX = 'mark/';
/** Limits the size of the item, because every write pays for the up to 100 bytes of each shard. */
export const MOST_PUBLISHED_SHARDS = 50;
const STATE = 'state';
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

export async function saveAppliedPlace(
  { graph: { table }, store, source, now }: PlaceContext,
  shardId: string,
  sequenceNumber: string,
): Promise<void> {
  const place: AppliedPlace = { stream: streamLabel(source.streamArn), sequenceNumber };
  await store.put({
    [table.partitionKey]: { S: SERVICE_PARTITION },
    [table.sortKey]: { S: `${PREFIX}${shardId}` },
    [STATE]: { S: JSON.stringify(place) },
    [table.ttl]: { N: String(Math.floor(now() / 1000) + KEPT_SECONDS) },
  });
}

/** Ignores store errors: older places then remain, and the next walk reads more. */
export async function saveAppliedPlaces(
  context: PlaceContext,
  shards: readonly { shardId: string; appliedUpTo?: string | undefined }[],
): Promise<void> {
  try {
    await forEachAtOnce(
      shards,
      async ({ shardId, appliedUpTo }) => {
        if (appliedUpTo !== undefined) await saveAppliedPlace(context, shardId, appliedUpTo);
      },
      { concurrency: PLACES_AT_ONCE },
    );
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

export async function readPublishedLowWatermark(
  store: Pick<Store, 'get'>,
): Promise<{ item: Item | undefined; published: PublishedLowWatermark | undefined }> {
  const { item } = await store.get(SUMMARY, { consistent: true });
  return { item, published: item && stateOf(item, publishedSchema) };
}

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
  return schema.safeParse(jsonOf(item[STATE])).data;
}
