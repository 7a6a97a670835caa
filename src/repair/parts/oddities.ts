import type { Item } from '../../items/attribute-value.ts';
import type { ItemKind, OddityContext, Part } from './kind.ts';
import { hasPlausibleWatermark } from './watermark.ts';

const NONE: readonly Part[] = [];

/** What can be wrong with any item that records and repairs write, whatever base items say. */
export function fencedOddities(kind: Pick<ItemKind, 'isLive'>, context: OddityContext, item: Item): readonly Part[] {
  const isPlausible = hasPlausibleWatermark(context, item);
  const expires = item[context.graph.table.ttl] !== undefined && kind.isLive(item);
  if (isPlausible && !expires) return NONE;
  const parts: Part[] = isPlausible ? [] : [{ kind: 'watermark' }];
  if (expires) parts.push({ kind: 'expiry' });
  return parts;
}
