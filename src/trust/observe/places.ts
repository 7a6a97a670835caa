import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { stringOf } from '../../core/items/attribute-value.ts';
import { unchangedCondition } from '../../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import type { ObserverState } from './state.ts';

/**
 * The places of an observer in the shards of the stream. A table of many terabytes has thousands of shards: their places do not fit into
 * one item. They are written in parts, before the item that names them: each save takes the slot that is not in use.
 */

/** How far an observer is in each shard, and its feed. */
export type Places = Pick<ObserverState, 'shards' | 'feed'>;

export const placesSchema = z.object({
  shards: z.array(
    z.object({
      shardId: z.string(),
      after: z.optional(z.string().check(z.regex(/^\d{1,99}$/))),
      isFinished: z.boolean(),
      sinceMs: z.optional(z.number()),
    }),
  ),
  feed: z.optional(
    z.object({
      told: z.record(z.string(), z.string()),
      unread: z.optional(z.array(z.string())),
      places: z.record(z.string(), z.string()),
    }),
  ),
});

export const placesReferenceSchema = z.object({
  slot: z.literal([0, 1]),
  version: z.string(),
  parts: z.int().check(z.minimum(1)),
});

/** The items that hold places. */
export type PlacesReference = z.infer<typeof placesReferenceSchema>;

const [VERSION, PART] = ['version', 'state'];
/** Characters of a part, all ASCII: an item has room for 409,600 bytes. */
const PART_CHARACTERS = 300_000;

/**
 * Writes places into the slot that is not in use.
 *
 * @param inUse the items that hold the places now.
 * @param hasLease whether this process may still write.
 * @returns the items that hold them; undefined: another process has taken over.
 */
export async function writePlaces(
  store: Pick<Store, 'getMany' | 'update'>,
  inUse: PlacesReference | undefined,
  places: Places,
  hasLease: () => Promise<boolean>,
): Promise<PlacesReference | undefined> {
  const texts = partsOf(asciiJson(places));
  const reference: PlacesReference = {
    slot: inUse?.slot === 0 ? 1 : 0,
    version: randomUUID(),
    parts: texts.length,
  };
  const keys = keysOf(reference);
  const { items } = await store.getMany(keys, { consistent: true });
  // Nobody else had written before the lease is asked for, and the conditions hold off who writes later. So a process that has lost its
  // lease, and does not know it yet, never writes over the parts of the next one.
  if (!(await hasLease())) return undefined;
  for (const [i, key] of keys.entries()) {
    const { applied } = await store.update({
      key,
      set: { [VERSION]: { S: reference.version }, [PART]: { S: texts[i]! } },
      unset: [],
      condition: unchangedCondition(items[i], undefined),
    });
    if (!applied) return undefined;
  }
  return reference;
}

/** Reads places; undefined: they are not there whole, or are of another version of the software. */
export async function readPlaces(
  store: Pick<Store, 'getMany'>,
  reference: PlacesReference,
): Promise<Places | undefined> {
  const { items } = await store.getMany(keysOf(reference), { consistent: true });
  if (items.some((item) => stringOf(item?.[VERSION]) !== reference.version)) return undefined;
  try {
    return placesIn(JSON.parse(items.map((item) => stringOf(item?.[PART]) ?? '').join('')));
  } catch {
    return undefined;
  }
}

/** The places in a value, such as a saved state; undefined: it has none. */
export function placesIn(value: unknown): Places | undefined {
  const parsed = placesSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

function keysOf({ slot, parts }: PlacesReference): ItemKey[] {
  return Array.from({ length: parts }, (_, i) => ({ source: SERVICE_PARTITION, target: `observer/${slot}/${i}` }));
}

function partsOf(text: string): string[] {
  const length = Math.ceil(text.length / PART_CHARACTERS);
  return Array.from({ length }, (_, i) => text.slice(i * PART_CHARACTERS, (i + 1) * PART_CHARACTERS));
}

/** JSON of ASCII alone: it has as many bytes as characters, and may be cut anywhere. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
