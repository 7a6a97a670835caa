import * as z from 'zod';
import { type Item, stringOf } from '../items/attribute-value.ts';
import { SERVICE_PARTITION } from '../items/keys.ts';
import type { TableNames } from '../model/compiled.ts';
import { queriedItems } from '../store/pages.ts';
import type { ItemKey, Store } from '../store/port.ts';

/** What a run over the whole table is for. */
export type RunMode = 'check' | 'rebuild';

/** Where a worker of a run has stopped: an item of the programs' own partition. */
export interface SavedPlace {
  /** Which worker's part of the table it is. */
  worker: number;
  /** How many parts the table is read in. */
  segments: number;
  /** The parts of this worker. */
  onlySegments: number[];
  /** Fingerprint of the model that the run compares with: another model begins anew. */
  model: string;
  /** The cursor; null where the worker has not begun. */
  cursor: unknown;
}

const whole = z.int().min(0);
const placeSchema = z.object({
  worker: whole,
  segments: z.int().min(1),
  onlySegments: z.array(whole).min(1),
  model: z.string(),
  cursor: z.unknown(),
});

/** The places of a mode that a run before has left, by worker; entries that cannot be read count as absent. */
export async function savedPlaces(store: Store, mode: RunMode): Promise<SavedPlace[]> {
  const places: SavedPlace[] = [];
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: `places/${mode}/` }, consistent: true };
  for await (const item of queriedItems(store, request)) {
    const place = placeOf(item);
    if (place !== undefined) places.push(place);
  }
  return places.sort((a, b) => a.worker - b.worker);
}

/** One worker's place; undefined where there is none. */
export async function savedPlace(store: Store, mode: RunMode, worker: number): Promise<SavedPlace | undefined> {
  const { item } = await store.get(placeKey(mode, worker), { consistent: true });
  return item && placeOf(item);
}

/** Leaves a place for the next run. */
export async function savePlace(store: Store, table: TableNames, mode: RunMode, place: SavedPlace): Promise<void> {
  const { source, target } = placeKey(mode, place.worker);
  const key = { [table.partitionKey]: { S: source }, [table.sortKey]: { S: target } };
  await store.put({ ...key, place: { S: JSON.stringify(place) } });
}

/** Takes a place away: its part of the table is done. */
export async function clearPlace(store: Store, mode: RunMode, worker: number): Promise<void> {
  await store.delete(placeKey(mode, worker));
}

function placeKey(mode: RunMode, worker: number): ItemKey {
  return { source: SERVICE_PARTITION, target: `places/${mode}/${String(worker).padStart(4, '0')}` };
}

function placeOf(item: Item): SavedPlace | undefined {
  try {
    return placeSchema.parse(JSON.parse(stringOf(item['place']) ?? ''));
  } catch {
    // A place that no longer fits only costs the time to begin anew.
    return undefined;
  }
}
