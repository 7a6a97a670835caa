import * as z from 'zod';
import { type Item, stringOf } from '../items/attribute-value.ts';
import { unchanged } from '../items/derived-item.ts';
import { SERVICE_PARTITION } from '../items/keys.ts';
import type { TableNames } from '../model/compiled.ts';
import { queriedItems } from '../store/pages.ts';
import type { Store } from '../store/port.ts';

/**
 * What the table says of how far its stream is applied: `mark` for all of it, with the lease of the process that moves it, and
 * `mark/<shard>` for each shard, from where the next one walks on.
 */

/** How far one shard is applied. */
export interface Mark {
  /** The label of its stream: shards of another one may have the same names. */
  stream: string;
  /** The last record before which all is applied. */
  sequenceNumber: string;
}

/** The mark of a whole stream, as one process has published it. */
export interface PublishedMark {
  /** The stream that it is of. */
  streamArn: string;
  /** Every record made before this moment is applied, in milliseconds since 1970; absent: that cannot be told. */
  upToMs?: number | undefined;
  /** When the stream was looked at, in milliseconds since 1970. */
  lookedAtMs: number;
  /** The process that moves it, and until when nobody else does. */
  holder: string;
  leaseUntilMs: number;
}

const SUMMARY = { source: SERVICE_PARTITION, target: 'mark' } as const;
const PREFIX = 'mark/';
const STATE = 'state';
/** A shard's mark is kept as long as its last record may be in the stream, and some time. */
const KEPT_SECONDS = 48 * 3600;

const publishedSchema = z.object({
  streamArn: z.string(),
  upToMs: z.number().optional(),
  lookedAtMs: z.number(),
  holder: z.string(),
  leaseUntilMs: z.number(),
});
const markSchema = z.object({ stream: z.string(), sequenceNumber: z.string().regex(/^\d{1,99}$/) });

/**
 * The marks of the shards of a table's stream.
 *
 * @param stream its label.
 */
export async function readMarks(
  store: Pick<Store, 'query'>,
  table: TableNames,
  stream: string,
): Promise<Map<string, Mark>> {
  const marks = new Map<string, Mark>();
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: PREFIX }, consistent: true };
  for await (const item of queriedItems(store, request)) {
    const mark = stateOf(item, markSchema);
    const shardId = stringOf(item[table.sortKey])?.slice(PREFIX.length);
    if (mark?.stream === stream && shardId !== undefined) marks.set(shardId, mark);
  }
  return marks;
}

/** Leaves the mark of a shard. */
export async function saveMark(
  store: Pick<Store, 'put'>,
  table: TableNames,
  shardId: string,
  mark: Mark,
  nowMs: number,
): Promise<void> {
  await store.put({
    [table.partitionKey]: { S: SERVICE_PARTITION },
    [table.sortKey]: { S: `${PREFIX}${shardId}` },
    [STATE]: { S: JSON.stringify(mark) },
    [table.ttl]: { N: String(Math.floor(nowMs / 1000) + KEPT_SECONDS) },
  });
}

/** The published mark, and the item that it is in. */
export async function readPublished(
  store: Pick<Store, 'get'>,
): Promise<{ item: Item | undefined; published: PublishedMark | undefined }> {
  const { item } = await store.get(SUMMARY, { consistent: true });
  return { item, published: item && stateOf(item, publishedSchema) };
}

/** Publishes a mark where nobody else has since the item was seen; gives whether it did. */
export async function publish(
  store: Pick<Store, 'update'>,
  seen: Item | undefined,
  mark: PublishedMark,
): Promise<boolean> {
  const { applied } = await store.update({
    key: SUMMARY,
    set: { [STATE]: { S: JSON.stringify(mark) } },
    unset: [],
    condition: unchanged(seen, undefined),
  });
  return applied;
}

function stateOf<T>(item: Item, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(stringOf(item[STATE]) ?? 'null'));
  } catch {
    // One of another version is no mark: the walk begins at the oldest record.
    return undefined;
  }
}
