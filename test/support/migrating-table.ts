import { migrate, serverTime, tableIdentity } from '../../src/admin.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, rank } from '../../src/core/model/schema.ts';
import { sleep } from '../../src/foundation/runtime.ts';
import type { MigrateOptions } from '../../src/migrate/migrate-types.ts';
import { REPLICA_LAG_MS } from '../../src/migrate/steps/work-steps.ts';
import { LEASE_MS, registryLeases } from '../../src/registry/reader-lease.ts';
import { byOneClock } from './moments.ts';
import { openTable, uniqueTableName } from './table.ts';

/** The model before and after: other shards, and a search more; or another rank. */
function graphOf(table: string, { shards, withEmail, lead = 500 }: ModelOptions) {
  const email = { caseInsensitive: true, shards: 2, project: ['name'] as const };
  return defineGraph({
    table,
    nodes: {
      GOAL: node({ view: ['title'] }),
      USER: node({
        view: 'ALL',
        search: { name: { shards }, ...(withEmail && { email }) },
      }),
    },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        degree: true,
        inbound: { orders: { gsi0: rank('role', { LEAD: lead }) } },
      }),
    },
  });
}

interface ModelOptions {
  shards: number;
  withEmail: boolean;
  lead?: number;
}

/** Nodes that tests put. */
export const USERS = 12;

/** A table of users with a search and memberships: before a change, after it, and with another rank. */
export async function migratingTable() {
  return await evolvingTable((name) => ({
    before: graphOf(name, { shards: 2, withEmail: false }),
    after: graphOf(name, { shards: 5, withEmail: true }),
    reranked: graphOf(name, { shards: 2, withEmail: false, lead: 600 }),
  }));
}

/**
 * A table with a clock that waiting for a lease moves, so that the test does not wait for it.
 *
 * @param modelsOf the models that the table has one after the other; the first one makes it.
 */
export async function evolvingTable<Models extends Record<string, CompiledModel>>(modelsOf: (table: string) => Models) {
  const models = modelsOf(uniqueTableName());
  const table = await openTable(Object.values(models)[0]!);
  let clockMs = 0;
  const user = (i: number) =>
    table.store.put({
      ...{ source: { S: `USER-${i}` }, target: { S: `USER-${i}` } },
      ...{ name: { S: `name ${i}` }, email: { S: `User${i}@Example.com` } },
    });
  return {
    ...{ ...table, ...models, user },
    passLease: () => {
      clockMs += LEASE_MS + 1;
    },
    migrate: async (graph: CompiledModel, options: Partial<MigrateOptions> = {}) =>
      migrate(graph, {
        ...{ store: table.store, ...(await tableIdentity(graph, { client: table.client })) },
        serverTime: () => serverTime(graph, { client: table.client }),
        wait: async (milliseconds) => {
          clockMs += milliseconds;
          if (milliseconds < REPLICA_LAG_MS) await sleep(milliseconds);
        },
        ...options,
      }),
    reader: <G extends CompiledModel>(graph: G) =>
      createReader(graph, {
        store: table.store,
        leases: registryLeases(
          graph,
          table.store,
          byOneClock(() => clockMs),
        ),
      }),
  };
}
