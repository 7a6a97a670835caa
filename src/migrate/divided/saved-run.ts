import * as z from 'zod/mini';
import { type Item, jsonOf, numberOf, stringOf } from '../../core/items/attribute-value.ts';
import { REVISION } from '../../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import { type CountingReader, queriedItems, readItem } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { CALLS_AT_ONCE, forEachOf } from '../../foundation/for-each.ts';
import type { WalkPlace } from '../../store/table-walk.ts';
import { walkPlaceSchema } from '../../store/walk-schemas.ts';
import type { MigratePlace } from '../walks/place.ts';
import { migratePlaceSchema } from '../walks/place-schema.ts';

export interface SavedRun {
  model: string;
  /**
   * The registry's version when the run was saved. A lower version now means a new registry, to which `place` doesn't
   * apply.
   */
  version: number;
  place: MigratePlace;
  replaced?: number | undefined;
  walk?: { name: string; plan: string; shares: number } | undefined;
}

export interface SavedShare {
  at: WalkPlace;
}

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

export const RUN: ItemKey = { source: SERVICE_PARTITION, target: 'places/migrate' };
const SHARES = 'shares/migrate/';
const PLACE = 'place';

export async function readRun(reader: CountingReader<'get'>): Promise<Saved<SavedRun>> {
  return parseSaved(await readItem(reader, RUN), runSchema);
}

export async function forgetRun(store: Pick<Store, 'delete' | 'query'>, sortKey: string): Promise<void> {
  await store.delete(RUN);
  await clearShares(store, sortKey, undefined);
}

export async function readShare(
  reader: CountingReader<'get'>,
  plan: string,
  share: number,
): Promise<Saved<SavedShare>> {
  return parseSaved(await readItem(reader, shareKey(plan, share)), shareSchema);
}

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

export async function clearShares(
  store: Pick<Store, 'delete' | 'query'>,
  sortKey: string,
  except: string | undefined,
): Promise<void> {
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: SHARES }, consistent: true };
  await forEachOf(
    queriedItems(store, request),
    async (item) => {
      const target = stringOf(item[sortKey]) ?? '';
      if (except !== undefined && target.startsWith(`${SHARES}${except}/`)) return;
      await store.delete({ source: SERVICE_PARTITION, target });
    },
    { concurrency: CALLS_AT_ONCE },
  );
}

export function shareKey(plan: string, share: number): ItemKey {
  return { source: SERVICE_PARTITION, target: `${SHARES}${plan}/${String(share).padStart(4, '0')}` };
}

export async function save(
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
