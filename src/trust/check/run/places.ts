import * as z from 'zod/mini';
import { type Item, jsonOf } from '../../../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../../core/items/keys.ts';
import type { TableNames } from '../../../core/model/compiled.ts';
import { queriedItems } from '../../../core/store-pages.ts';
import type { ItemKey, Store } from '../../../core/store-port.ts';
import { keyAttributes } from '../../../store/answers.ts';

/** What a run does with the whole table: compare it, or derive everything again. */
export type RunMode = 'check' | 'rebuild';

export interface SavedPlace {
  worker: number;
  segments: number;
  onlySegments: number[];
  /** Fingerprint of the run's model. A run with another model starts over. */
  model: string;
  cursor: unknown;
  savedMs?: number | undefined;
  beganMs?: number | undefined;
}

const whole = z.int().check(z.minimum(0));
const placeSchema = z.object({
  worker: whole,
  segments: z.int().check(z.minimum(1)),
  onlySegments: z.array(whole).check(z.minLength(1)),
  model: z.string(),
  cursor: z.unknown(),
  savedMs: z.optional(z.number()),
  beganMs: z.optional(z.number()),
});

export async function savedPlaces(store: Store, mode: RunMode): Promise<SavedPlace[]> {
  const places: SavedPlace[] = [];
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: `places/${mode}/` }, consistent: true };
  for await (const item of queriedItems(store, request)) {
    const place = placeOf(item);
    if (place !== undefined) places.push(place);
  }
  return places.sort((a, b) => a.worker - b.worker);
}

export async function savedPlace(store: Store, mode: RunMode, worker: number): Promise<SavedPlace | undefined> {
  const { item } = await store.get(placeKey(mode, worker), { consistent: true });
  return item && placeOf(item);
}

export async function savePlace(store: Store, table: TableNames, mode: RunMode, place: SavedPlace): Promise<void> {
  const key = keyAttributes(table, placeKey(mode, place.worker)) as Item;
  await store.put({ ...key, place: { S: JSON.stringify(place) } });
}

export async function clearPlace(store: Store, mode: RunMode, worker: number): Promise<void> {
  await store.delete(placeKey(mode, worker));
}

function placeKey(mode: RunMode, worker: number): ItemKey {
  return { source: SERVICE_PARTITION, target: `places/${mode}/${String(worker).padStart(4, '0')}` };
}

function placeOf(item: Item): SavedPlace | undefined {
  return placeSchema.safeParse(jsonOf(item['place'])).data;
}
