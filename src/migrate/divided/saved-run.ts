import * as z from 'zod/mini';
import { type Item, jsonOf, numberOf, stringOf } from '../../core/items/attribute-value.ts';
import { REVISION } from '../../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import { type CountingReader, queriedItems, readItem } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import type { WalkPlace } from '../../store/table-walk.ts';
import { walkPlaceSchema } from '../../store/walk-schemas.ts';
import type { MigratePlace } from '../walks/place.ts';
import { migratePlaceSchema } from '../walks/place-schema.ts';

/**
 * The items in which a divided migration keeps its place: one of the run, and one of each share of the walk that is under way. They
 * are in the service's own partition, and outlive the execution that wrote them. Each is written under the revision that was read.
 */

/** The place of a run. */
export interface SavedRun {
  /** Fingerprint of the model. A run of another model begins without this place. */
  model: string;
  /** Version of the registry when the place was saved. An older registry is another one: the place says nothing of it. */
  version: number;
  place: MigratePlace;
  /** How often runs of different models have replaced each other's place. Absent: never. */
  replaced?: number | undefined;
  /** The walk that is dealt out, and the number of its shares. */
  walk?: { name: string; plan: string; shares: number } | undefined;
}

/** One share of a walk: some segments of the table. */
export interface SavedShare {
  /** The share's place; without open segments it is done. */
  at: WalkPlace;
}

/** Something saved, with the revision that a write of the next one compares. */
export interface Saved<T> {
  value: T | undefined;
  revision: string | undefined;
}

const runSchema: z.ZodMiniType<SavedRun> = z.object({
  model: z.string(),
  version: z.number(),
  place: migratePlaceSchema,
  replaced: z.optional(z.int()),
  walk: z.optional(z.object({ name: z.string(), plan: z.string(), shares: z.int().check(z.minimum(1)) })),
});
const shareSchema: z.ZodMiniType<SavedShare> = z.object({
  at: walkPlaceSchema,
});

const RUN: ItemKey = { source: SERVICE_PARTITION, target: 'places/migrate' };
const SHARES = 'shares/migrate/';
const PLACE = 'place';

/** Reads the place of a run. One that cannot be parsed counts as absent: the walk begins again. */
export async function readRun(reader: CountingReader<'get'>): Promise<Saved<SavedRun>> {
  return parseSaved(await readItem(reader, RUN), runSchema);
}

/** Saves the place of a run; false if another run has saved its own since this one was read. */
export async function saveRun(store: Pick<Store, 'update'>, run: SavedRun, revision: string | undefined) {
  return await saveItem(store, RUN, run, revision);
}

/** Deletes the place of a run that has ended, with all shares. */
export async function forgetRun(store: Pick<Store, 'delete' | 'query'>, sortKey: string): Promise<void> {
  await store.delete(RUN);
  await clearShares(store, sortKey, undefined);
}

/** Reads a share of a plan. */
export async function readShare(
  reader: CountingReader<'get'>,
  plan: string,
  share: number,
): Promise<Saved<SavedShare>> {
  return parseSaved(await readItem(reader, shareKey(plan, share)), shareSchema);
}

/** Saves a share; false if another worker has saved it since it was read, or if the plan is over. */
export async function saveShare(
  store: Pick<Store, 'update'>,
  { plan, share }: { plan: string; share: number },
  value: SavedShare,
  revision: string | undefined,
): Promise<boolean> {
  return await saveItem(store, shareKey(plan, share), value, revision);
}

/** Reads all shares of a plan, by number. */
export async function readShares(store: Pick<Store, 'query'>, sortKey: string, plan: string) {
  const shares = new Map<number, SavedShare>();
  const sortKeys = { beginsWith: `${SHARES}${plan}/` };
  for await (const item of queriedItems(store, { partition: SERVICE_PARTITION, sortKey: sortKeys, consistent: true })) {
    const { value } = parseSaved(item, shareSchema);
    const number = Number((stringOf(item[sortKey]) ?? '').split('/').at(-1));
    if (value !== undefined) shares.set(number, value);
  }
  return shares;
}

/** Deletes the shares of all other plans. */
export async function clearShares(
  store: Pick<Store, 'delete' | 'query'>,
  sortKey: string,
  except: string | undefined,
): Promise<void> {
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: SHARES }, consistent: true };
  for await (const item of queriedItems(store, request)) {
    const target = stringOf(item[sortKey]) ?? '';
    if (except === undefined || !target.startsWith(`${SHARES}${except}/`)) {
      await store.delete({ source: SERVICE_PARTITION, target });
    }
  }
}

function shareKey(plan: string, share: number): ItemKey {
  return { source: SERVICE_PARTITION, target: `${SHARES}${plan}/${String(share).padStart(4, '0')}` };
}

async function saveItem(
  store: Pick<Store, 'update'>,
  key: ItemKey,
  value: SavedRun | SavedShare,
  revision: string | undefined,
): Promise<boolean> {
  const set = { [PLACE]: { S: JSON.stringify(value) } };
  const { applied } = await store.update({ key, set, unset: [], condition: { kind: 'revision', revision } });
  return applied;
}

function parseSaved<T>(item: Item | undefined, schema: z.ZodMiniType<T>): Saved<T> {
  const revision = item && numberOf(item[REVISION]);
  return { value: schema.safeParse(jsonOf(item?.[PLACE])).data, revision };
}
