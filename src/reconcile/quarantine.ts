import type { Item } from '../core/items/attribute-value.ts';
import { derivedOf } from '../core/plan/derive.ts';
import { derivationEntry, formsOfEntry, unwrittenEntry } from '../core/plan/quarantine-entry.ts';
import type { QuarantineUnit } from '../core/plan/unit.ts';
import { readItem } from '../core/store-pages.ts';
import { StoreError } from '../foundation/errors.ts';
import type { ApplyContext } from './context.ts';

/** Records, and items, that cannot be applied: their quarantine entries are put. */

/**
 * Puts a quarantine entry, and counts it. Where the table refuses it, less of it is put: no record may hold up those behind it. Where the
 * table refuses every form, the count and the log alone tell of the item, until a check finds it.
 */
export async function putEntry(context: ApplyContext, entry: Item): Promise<void> {
  const { graph, store, stats } = context;
  let refused: StoreError | undefined;
  for (const form of formsOfEntry(graph.table, entry)) {
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

/** Puts an entry for problems of the records, or, if the base item decides, of the base item as it is now. */
export async function quarantine(context: ApplyContext, unit: QuarantineUnit): Promise<void> {
  const { graph } = context;
  const { source, target } = unit;
  let { problems } = unit;
  if (unit.byBase === true) {
    ({ problems } = derivedOf(graph, source, target, await readItem(context, { source, target })));
    if (problems.length === 0) return;
  }
  await putEntry(context, derivationEntry(graph, { ...unit, problems }, context.now()));
}
