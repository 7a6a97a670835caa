import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { AFTER, AGAIN, MODEL, TOMBSTONE_HOURS, unchangedCondition, WATERMARK } from '../core/items/derived-item.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { FanOutPlaces, fanOutOfKey } from '../core/model/projection/places.ts';
import type { EpochSeconds } from '../core/plan/unit.ts';
import type { DerivedUpdate, ItemKey } from '../core/store-port.ts';
import { epochSeconds } from './context.ts';
import { reconcile } from './reconcile.ts';
import { NO_WATERMARK, type SettleContext, withPlausibleWatermark } from './repair.ts';

/** Has a stuck fan-out go on. */
export async function restartFanOut(context: SettleContext, key: ItemKey): Promise<void> {
  await reconcile(context, {
    key,
    expected: async (item) => stringOf((await withPlausibleWatermark(context, item))?.[WATERMARK]) ?? NO_WATERMARK,
    update: (item, watermark) =>
      item && continueFanOutUpdate(context.graph, key, item, watermark, epochSeconds(context)),
  });
}

/**
 * Makes the update by which a stuck fan-out goes on from its place. It writes the continuation with the same place, so that the stream
 * gets the lost record again, which drives the next page. It does not end the fan-out: the record may only be late, and then the
 * remaining children would never get the change. A continuation without a place becomes a tombstone. Only one with an impossible place
 * begins again at the first child, or edge.
 *
 * @param watermark the watermark to write.
 */
function continueFanOutUpdate(
  graph: CompiledModel,
  key: ItemKey,
  current: Item | undefined,
  watermark: string,
  now: EpochSeconds,
): DerivedUpdate {
  const { of, edgeType } = fanOutOfKey(key.target)!;
  const first = new FanOutPlaces(edgeType).visitedPrefix(of);
  const placeAt = (name: string): Item => {
    const stored = stringOf(current?.[name]);
    if (current?.[name] === undefined) return {};
    return { [name]: { S: stored?.startsWith(first) === true ? stored : first } };
  };
  const stamp: Item = { [WATERMARK]: { S: watermark }, [MODEL]: { S: graph.fingerprint } };
  const expiry: Item = { [graph.table.ttl]: { N: String(now + TOMBSTONE_HOURS * 3600) } };
  const isOpen = current?.[AFTER] !== undefined;
  return {
    key,
    set: { ...stamp, ...(isOpen ? { ...placeAt(AFTER), ...placeAt(AGAIN) } : expiry) },
    unset: isOpen ? [graph.table.ttl] : [AFTER, AGAIN],
    condition: unchangedCondition(current, graph.table.ttl),
  };
}
