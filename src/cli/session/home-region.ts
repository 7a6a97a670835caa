import { readHead } from '../../registry/head.ts';
import { identityAtHome } from '../../registry/identity.ts';
import { tableIdentity } from '../../store/table.ts';
import type { CommandSession } from './session.ts';

/** Throws `not-home-region` where the table has replicas and its derived items are written in another region. */
export async function requireHomeRegion({ client, graph, store }: CommandSession): Promise<void> {
  const head = await readHead({ store, stats: { rcu: 0 } });
  const { table, regions } = await tableIdentity(client, graph);
  identityAtHome(head?.registry.table, table, regions);
}
