import type { OfGraph } from '../core/model/compiled.ts';
import type { ReadStats } from '../core/store-pages.ts';
import { readHead } from '../registry/head.ts';
import { isUntouchedSinceRegistration } from '../registry/transitions.ts';
import { TableIndexes } from '../store/table-indexes.ts';
import { migrateTable } from './migrate.ts';
import type { MigrateOptions } from './migrate-types.ts';
import { isEmptyTable } from './steps/empty.ts';

/**
 * Registers the model with a table without registry and items, so that readers may use everything at once. Any other
 * table is left alone: registration would make its searches unavailable until they are verified, so a person has to run
 * `migrate`. So is a table that lacks indexes of the model, which `migrate` adds. Returns whether readers may use
 * everything: not if an item arrived during the registration, and the caller gives no time to build its projections.
 */
export async function registerIfEmpty(options: OfGraph<MigrateOptions>): Promise<boolean> {
  const { graph, store } = options;
  const stats: ReadStats = { rcu: 0 };
  const head = await readHead({ store, stats });
  // A run that ended before looking for items has left a fresh registry.
  if (head !== undefined && !isUntouchedSinceRegistration(head.registry)) return false;
  if (!(await isEmptyTable(graph, store, stats))) return false;
  if ((await new TableIndexes(store).missing(graph)).length > 0) return false;
  // `migrate` registers the projections as kept and looks for items again, so that it builds whatever was written in
  // between.
  return (await migrateTable(options)).done;
}
