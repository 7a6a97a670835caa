import { type Overlay, type OwnWrite, overlayOf } from '../../session/own-writes.ts';
import { type CursorBinding, decodeCursor, encodeCursor } from '../request/cursor.ts';
import { LivingStore } from '../request/living-store.ts';
import type { ReadContext } from '../request/read-context.ts';
import { readNativePage } from './native-list.ts';
import type { PlacedList } from './placed-list.ts';
import { type Found, type Gathered, mergePartitions, type Standing } from './scatter.ts';
import { currentWalk, type Kept } from './walk.ts';

export interface ListPage {
  limit: number;
  cursor: string | undefined;
  bound: CursorBinding;
  own: readonly OwnWrite[];
  unwanted?: number;
}

export async function readListPage(
  context: ReadContext,
  list: PlacedList,
  { cursor, bound, limit, own, unwanted }: ListPage,
): Promise<Gathered & { cursor?: string }> {
  const { cursorKey, projections } = context;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, bound, cursorKey);
  const cursorAt = (lastKey: string): string => encodeCursor(lastKey, bound, cursorKey);
  if (list.native !== undefined) {
    const gathered = await readNativePage(context, list.native, { ...list, after, limit, own });
    const { lastKey } = gathered;
    return lastKey === undefined ? gathered : { ...gathered, cursor: cursorAt(lastKey) };
  }
  const overlay = own.length === 0 ? undefined : overlayOf(projections.model, own, list.index, list.partitions);
  // A single partition needs no walk: it continues after its last key.
  const walk = list.partitions.length > 1 ? currentWalk() : undefined;
  const kept = cursor === undefined ? undefined : walk?.keptAt(cursor);
  const standing = standingOf(context, overlay, kept);
  const request = { ...list, after, limit, overlay, unwanted, walk: walk && { standing } };
  const gathered = await mergePartitions(context, request);
  if (gathered.lastKey === undefined) return gathered;
  const next = cursorAt(gathered.lastKey);
  if (gathered.standing !== undefined)
    walk?.leave(next, { standing: gathered.standing, projections, replaced: overlay?.sources ?? new Set() });
  return { ...gathered, cursor: next };
}

function standingOf(
  { projections, store }: ReadContext,
  overlay: Overlay | undefined,
  kept: Kept | undefined,
): Standing | undefined {
  if (kept === undefined || kept.projections !== projections) return undefined;
  // If the session has forgotten one of these writes, its row has to be read from the index again.
  // rule: walk-asks-for-rows-that-own-writes-replaced
  if ([...kept.replaced].some((source) => overlay?.sources.has(source) !== true)) return undefined;
  const { shards, ahead } = kept.standing;
  const isCurrent = ({ item }: Found): boolean => overlay?.isReplaced(item) !== true;
  const isLiving = ({ item }: Found): boolean => !(store instanceof LivingStore && store.isOver(item));
  return { shards, ahead: ahead.filter((found) => isCurrent(found) && isLiving(found)) };
}
