import * as z from 'zod/mini';
import { type Item, jsonOf } from '../../core/items/attribute-value.ts';
import { unchangedCondition } from '../../core/items/derived-item.ts';
import { hash128, SERVICE_PARTITION } from '../../core/items/keys.ts';
import { queriedItems, type ReadStats } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';

/** The record of an erasure. Its key is a hash, so it doesn't contain the erased id. */
export interface Erasure {
  /** `erased`: the first run has finished, so base items found now were written after it. */
  stage: 'deleting' | 'erased';
  sinceMs: number;
  /** When the tombstones can be deleted, in milliseconds since 1970; 0 until the base items are deleted. */
  tombstonesUntilMs: number;
}

const schema: z.ZodMiniType<Erasure> = z.object({
  stage: z.enum(['deleting', 'erased']),
  sinceMs: z.number(),
  tombstonesUntilMs: z.number(),
});

const STATE = 'state';
const PREFIX = 'erasure/';

function erasureKey(id: string): ItemKey {
  return { source: SERVICE_PARTITION, target: `${PREFIX}${hash128(id)}` };
}

/** Throws `damaged-erasure` if the record can't be read. */
export async function readErasure(store: Pick<Store, 'get'>, id: string): Promise<Erasure | undefined> {
  const key = erasureKey(id);
  return parsed(key, (await store.get(key, { consistent: true })).item);
}

export async function readErasures(
  store: Pick<Store, 'query'>,
  stats: ReadStats,
): Promise<{ erasures: Erasure[]; unreadable: number }> {
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: PREFIX }, consistent: true };
  const erasures: Erasure[] = [];
  let unreadable = 0;
  for await (const item of queriedItems(store, request, stats)) {
    const { success, data } = schema.safeParse(jsonOf(item[STATE]));
    if (success) erasures.push(data);
    else unreadable += 1;
  }
  return { erasures: erasures.sort((left, right) => left.sinceMs - right.sinceMs), unreadable };
}

/**
 * Changes the record under the revision that was read, since two erasures may run at once. Throws `damaged-erasure` if
 * the record can't be read.
 *
 * @param next returns undefined to leave the record unchanged.
 */
export async function changeErasure(
  store: Pick<Store, 'get' | 'update'>,
  id: string,
  next: (now: Erasure | undefined) => Erasure | undefined,
): Promise<Erasure | undefined> {
  const key = erasureKey(id);
  for (;;) {
    const { item } = await store.get(key, { consistent: true });
    const now = parsed(key, item);
    const expected = next(now);
    if (expected === undefined) return now;
    const { applied } = await store.update({
      key,
      set: { [STATE]: { S: JSON.stringify(expected) } },
      unset: [],
      condition: unchangedCondition(item, undefined),
    });
    if (applied) return expected;
  }
}

export async function forgetErasure(store: Pick<Store, 'delete'>, id: string): Promise<void> {
  await store.delete(erasureKey(id));
}

function parsed({ target }: ItemKey, item: Item | undefined): Erasure | undefined {
  if (item?.[STATE] === undefined) return undefined;
  const { success, data } = schema.safeParse(jsonOf(item[STATE]));
  if (success) return data;
  throw new EdgeloomError(
    'damaged-erasure',
    `The attribute ${STATE} of the item ${SERVICE_PARTITION} ${target}, which remembers how far this erasure is, cannot be read.`,
    'Delete that item, and erase the subject again from the first run on.',
  );
}
