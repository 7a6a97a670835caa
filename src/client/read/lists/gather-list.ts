import { type OwnWrite, overlayOf } from '../../session/own-writes.ts';
import { type CursorBinding, decodeCursor, encodeCursor } from '../request/cursor.ts';
import type { ReadContext } from '../request/read-context.ts';
import { gatherNative } from './native-list.ts';
import type { PlacedList } from './placed-list.ts';
import type { Gathered } from './scatter.ts';
import { gatherListPage } from './walk.ts';

export interface ListPage {
  limit: number;
  cursor: string | undefined;
  bound: CursorBinding;
  own: readonly OwnWrite[];
  unwanted?: number;
}

/** Reads one page of a list, with the session's own writes in their places. */
export async function gatherList(
  context: ReadContext,
  list: PlacedList,
  { cursor, bound, limit, own, unwanted }: ListPage,
): Promise<Gathered & { cursor?: string }> {
  const { cursorKey, projections } = context;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, bound, cursorKey);
  const cursorAt = (lastKey: string): string => encodeCursor(lastKey, bound, cursorKey);
  if (list.native !== undefined) {
    const gathered = await gatherNative(context, list.native, { ...list, after, limit, own });
    const { lastKey } = gathered;
    return lastKey === undefined ? gathered : { ...gathered, cursor: cursorAt(lastKey) };
  }
  const overlay = own.length === 0 ? undefined : overlayOf(projections.model, own, list.index, list.partitions);
  return await gatherListPage(context, { ...list, after, limit, overlay, unwanted }, cursor, cursorAt);
}
