import type { Item } from '../core/items/attribute-value.ts';
import { formsOfEntry, unwrittenEntry } from '../core/plan/quarantine-entry.ts';
import { StoreError } from '../foundation/errors.ts';
import type { ApplyContext } from './context.ts';

/**
 * Puts a quarantine entry, and counts it. Where the table refuses it, less of it is put: no record may hold up those behind it. Where the
 * table refuses every form, the count and the log alone tell of the item, until a check finds it.
 */
export async function putEntry(context: ApplyContext, entry: Item): Promise<void> {
  const { graph, store, stats, random } = context;
  let refused: StoreError | undefined;
  for (const form of formsOfEntry(graph.table, entry, random())) {
    try {
      stats.writes += 1;
      const { wcu } = await store.put(form);
      stats.wcu += wcu;
      refused = undefined;
      break;
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'terminal') throw error;
      refused = error;
    }
  }
  stats.quarantined += 1;
  context.onQuarantine?.(refused === undefined ? entry : unwrittenEntry(entry, refused), refused !== undefined);
}
