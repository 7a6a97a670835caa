import type { OfGraph } from '../core/model/compiled.ts';
import type { ReadStats } from '../core/store-pages.ts';
import { readHead } from '../registry/head.ts';
import { isUntouchedSinceRegistration } from '../registry/transitions.ts';
import { TableIndexes } from '../store/table-indexes.ts';
import { migrateTable } from './migrate.ts';
import type { MigrateOptions } from './migrate-types.ts';
import { isEmptyTable } from './steps/empty.ts';

/**
 * On a table with items or missing indexes, registration makes searches unavailable until they are verified, so a
 * person has to run `migrate`. Returns whether this call opened everything to readers: false for such a table or one
 * with a registry, or if an item arrived and no time was left to build its projections.
 */
export async function registerIfEmpty(options: OfGraph<MigrateOptions>): Promise<boolean> {
  const { graph, store } = options;
  const stats: ReadStats = { rcu: 0 };
  const head = await readHead({ store, stats });
  // A registry unchanged since its registration comes from a run that ended before it looked for items.
  if (head !== undefined && !isUntouchedSinceRegistration(head.registry)) return false;
  if (!(await isEmptyTable(graph, store, stats))) return false;
  if ((await new TableIndexes(store).missing(graph)).length > 0) return false;
  // `migrate` looks for items again and builds those written since.
  return (await migrateTable(options)).done;
}
