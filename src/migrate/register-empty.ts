import { readHead } from '../registry/head.ts';
import { isFresh } from '../registry/transitions.ts';
import type { ReadStats } from '../store/pages.ts';
import { isEmptyTable } from './empty.ts';
import { migrate } from './migrate.ts';
import type { MigrateOptions } from './migrate-types.ts';

/**
 * Registers the model with a table that has no registry and holds nothing, so that readers may use all of it at once. Any other
 * table is left as it is: a registration would take its searches from readers until they are verified, which `migrate` does
 * when a person asks for it. Gives whether it has registered.
 */
export async function registerIfEmpty(options: MigrateOptions): Promise<boolean> {
  const { graph, store } = options;
  const stats: ReadStats = { rcu: 0 };
  const head = await readHead({ store, stats });
  // A fresh one was left by a run that was ended before it had looked.
  if (head !== undefined && !isFresh(head.registry)) return false;
  if (!(await isEmptyTable(graph, store, stats))) return false;
  // It is registered as kept first and looked at once more: what was written meanwhile is found, and built.
  await migrate(options);
  return true;
}
