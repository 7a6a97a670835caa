import { epochSeconds } from '../../apply/context.ts';
import { writeCounted } from '../../apply/counted.ts';
import { settleJoined } from '../../apply/joined.ts';
import { reconcile } from '../../apply/reconcile.ts';
import type { Item } from '../../items/attribute-value.ts';
import { storedSortKey } from '../../items/keys.ts';
import { wantedFields } from '../../plan/copies.ts';
import { countHolding } from '../../plan/counted.ts';
import { derivedOf } from '../../plan/derive.ts';
import { isJoinedKey } from '../../plan/joined.ts';
import type { IndexUnit } from '../../plan/unit.ts';
import { settledIndexUpdate } from '../../plan/writes/updates.ts';
import { readItem } from '../../store/pages.ts';
import type { DerivedUpdate, ItemKey } from '../../store/port.ts';
import { fenced, NO_WATERMARK, type SettleContext, trusted } from './context.ts';

/**
 * Reconciles one index item, or reverse item, with its base item; a joined item also with the source node. An item that nothing
 * asks for becomes a tombstone, even if there was none.
 *
 * @param key the key of the derived item.
 */
export async function settleIndexItem(
  context: SettleContext,
  base: ItemKey,
  key: ItemKey,
  watermark: string,
): Promise<void> {
  const { graph } = context;
  const { target: sortKey } = key;
  if (isJoinedKey(graph, base.target, sortKey)) {
    // The watermark of a joined item is that of the edge's newest record. This call may be due to a record of the node, so it
    // brings no watermark.
    const unit = unitOf(key, base, NO_WATERMARK);
    return await settleJoined(context, [unit], { trusted: (current) => trusted(context, current) });
  }
  const unit = unitOf(key, base, watermark);
  const countName = countHolding(graph, base, sortKey)?.name;
  // rule: repair-reads-the-derived-item-before-its-base, first
  await reconcile(context, {
    key,
    async expected(current) {
      // rule: repair-reads-the-derived-item-before-its-base, then
      // rule: overtaken-repair-reads-the-base-item-again
      const item = await readItem(context, { source: base.source, target: base.target });
      const wanted = wantedFields(derivedOf(graph, base.source, base.target, item), sortKey);
      return { wanted, kept: await trusted(context, current) };
    },
    update(_current, { wanted, kept }) {
      const settled = settledIndexUpdate(graph, unit, kept, wanted, epochSeconds(context));
      // rule: repair-writes-index-items-under-the-revision-seen
      return fenced(context, settled);
    },
    // rule: repair-moves-the-count
    write:
      countName === undefined
        ? undefined
        : (update, { actual, expected }) => writeCounted(context, actual, expected.wanted, update, countName),
  });
}

/**
 * Makes the update that turns an index item that no base item asks for into a tombstone.
 *
 * @param current the item as it was read, before the base items.
 */
export async function burialOf(
  context: SettleContext,
  key: ItemKey,
  current: Item | undefined,
): Promise<DerivedUpdate> {
  const unit = unitOf(key, key, NO_WATERMARK);
  const seen = await trusted(context, current);
  return fenced(context, settledIndexUpdate(context.graph, unit, seen, undefined, epochSeconds(context)));
}

function unitOf({ source, target }: ItemKey, base: ItemKey, watermark: string): IndexUnit {
  const sortKey = storedSortKey(target);
  return { kind: 'index', source, sortKey, base, records: [], oldest: watermark, newest: watermark };
}
