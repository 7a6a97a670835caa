import type { OfGraph } from '../core/model/compiled.ts';
import type { ReadStats } from '../core/store-pages.ts';
import { readHead } from '../registry/head.ts';
import { isUntouchedSinceRegistration } from '../registry/transitions.ts';
import { TableIndexes } from '../store/table-indexes.ts';
import { migrateTable } from './migrate.ts';
import type { MigrateOptions } from './migrate-types.ts';
import { isEmptyTable } from './steps/empty.ts';

/**
 * Only a table without registry, items and missing indexes: elsewhere registration would make searches unavailable
 * until they are verified, so a person has to run `migrate`. Returns whether readers may use everything: not if an item
 * arrived during the registration, and there is no time to build its projections.
 */
export async function registerIfEmpty(options: OfGraph<MigrateOptions>): Promise<boolean> {
  const { graph, store } = options;
  const stats: ReadStats = { rcu: 0 };
  const head = await readHead({ store, stats });
  // A run that ended before looking for items has left a fresh registry.
  if (head !== undefined && !isUntouchedSinceRegistration(head.registry)) return false;
  if (!(await isEmptyTable(graph, store, stats))) return false;
  if ((await new TableIndexes(store).missing(graph)).length > 0) return false;
  // `migrate` looks for items again, so that it builds whatever was written in between.
  return (await migrateTable(options)).done;
}
