import type { Item } from '../core/items/attribute-value.ts';
import { entryUpdate, formsOfEntry, refusalEntry, refusalKey, unwrittenEntry } from '../core/plan/quarantine-entry.ts';
import type { Touch } from '../core/plan/touch.ts';
import type { ItemKey } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { type ApplyContext, type Refusal, updateItem } from './apply-context.ts';

export interface SeenEntry {
  was: Item | undefined;
  readAtMs: number;
}

/**
 * Smaller forms are tried, since no record may hold up those behind it. If the table refuses all, only the count and
 * the log tell of the item, until a check finds it.
 *
 * @param refusal absent: the entry is of a base item.
 * @returns the entry as it is now if it has changed since it was read.
 */
export async function putEntry(
  context: ApplyContext,
  key: ItemKey,
  was: Item | undefined,
  content: Item,
  refusal?: Refusal,
): Promise<SeenEntry | undefined> {
  const { graph, stats } = context;
  let refused: StoreError | undefined;
  for (const form of formsOfEntry(content)) {
    const readAtMs = context.now();
    try {
      const result = await updateItem(context, entryUpdate(graph, key, was, form, readAtMs));
      if (!result.applied) return { was: result.current, readAtMs };
      refused = undefined;
      break;
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'terminal') throw error;
      refused = error;
    }
  }
  stats.quarantined += 1;
  const written = refused === undefined ? content : unwrittenEntry(content, refused);
  context.onQuarantine?.(written, refused !== undefined, refusal);
  return undefined;
}

/**
 * If the entry has changed since it was read, the derived item has to be tried again: a redrive may have ended the
 * entry.
 */
export async function putRefusal(
  context: ApplyContext,
  touch: Touch,
  error: StoreError,
  seen: SeenEntry | undefined,
): Promise<SeenEntry | undefined> {
  // rule: refusal-rests-on-the-entry-read-before
  const was = seen?.was;
  // rule: refusal-is-written-under-the-revision-read
  const content = refusalEntry(touch, was, error, context.now());
  return await putEntry(context, refusalKey(touch), was, content, { touch, error });
}
