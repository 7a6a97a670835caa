import type { OfGraph } from '../core/model/compiled.ts';
import type { ReadStats } from '../core/store-pages.ts';
import { readHead } from '../registry/head.ts';
import { isUntouchedSinceRegistration } from '../registry/transitions.ts';
import { migrateTable } from './migrate.ts';
import type { MigrateOptions } from './migrate-types.ts';
import { isEmptyTable } from './steps/empty.ts';

/**
 * Registers the model with a table that has no registry and no items, so that readers may use all of it at once. Any other table is
 * left unchanged: a registration would make its searches unavailable to readers until they are verified; `migrate` does that when a
 * person asks for it. So is a table that lacks indexes of the model, which `migrate` adds. Returns whether readers may use all of it: not if an item came during the registration, and the caller gives no time to
 * build its projections.
 */
export async function registerIfEmpty(options: OfGraph<MigrateOptions>): Promise<boolean> {
  const { graph, store } = options;
  const stats: ReadStats = { rcu: 0 };
  const head = await readHead({ store, stats });
  // A run that ended before it had looked for items has left a fresh registry.
  if (head !== undefined && !isUntouchedSinceRegistration(head.registry)) return false;
  if (!(await isEmptyTable(graph, store, stats))) return false;
  if (((await store.missingIndexes?.(graph)) ?? []).length > 0) return false;
  // `migrate` registers the projections as kept and looks for items again, so that it builds whatever was written meanwhile.
  return (await migrateTable(options)).done;
}
