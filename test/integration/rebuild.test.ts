import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, rank } from '../../src/core/model/schema.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { type ConsumerProgress, progressItem } from '../../src/stream/progress/consumers.ts';
import { check } from '../../src/trust/check/check.ts';
import { refuseOldConsumers } from '../../src/trust/check/old-consumers.ts';
import { checkedTable } from '../support/checked-table.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** A model with what a changed one has: another rank table, a new search attribute, one that is gone. */
function changedGraph(table: string) {
  return defineGraph({
    table,
    nodes: {
      GOAL: node({ view: ['title'], search: { title: {} } }),
      USER: node({
        view: 'ALL',
        search: { name: { shards: 10 }, email: { caseInsensitive: true }, favoriteFoods: { multiValue: true } },
      }),
      TEAM: node({ view: 'ALL' }),
      ORG: node({ view: 'ALL' }),
    },
    edges: {
      GOALMEMBERSHIP: edge({
        from: 'GOAL',
        to: ['USER', 'TEAM', 'ORG'],
        edgeSet: ['memberRole', 'date'],
        inbound: { orders: { gsi0: rank('memberRole', { LEAD: 900, CONTRIBUTOR: 100 }), gsi1: date('date') } },
      }),
    },
  });
}

describe('a rebuild', () => {
  it('mends what a changed model asks for: another rank table, new labels, new and dropped searches and types', async () => {
    const { store, graph } = await checkedTable(3);
    const changed = changedGraph(graph.table.name);
    expect((await check(changed, { store, graceMs: 10 })).drift).not.toEqual({
      ...{ missing: 0, stale: 0, orphan: 0 },
    });
    await check(changed, { store, mode: 'rebuild' });
    const after = await check(changed, { store, graceMs: 10 });
    expect(after.drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    const { item } = await store.get({ source: 'GOAL-G1', target: '~ix/GOALMEMBERSHIP-USER-U1' }, { consistent: true });
    expect(item).toMatchObject({ gsi0sk: { S: '900-LEAD\u0000GOAL-G1' } });
  });

  it('runs beside live writes and a projector, and nothing of either is lost', async () => {
    const { store, graph, writer, projectAll, run } = await checkedTable(3);
    for (let g = 1; g <= 3; g++) await store.delete({ source: `GOAL-G${g}`, target: '~view' });
    let isOver = false;
    const producing = (async () => {
      for (let i = 0; !isOver; i++) {
        const goal = `GOAL-G${1 + (i % 3)}` as const;
        if (i % 4 === 3) await writer.deleteEdge(goal, 'GOALMEMBERSHIP', `USER-N${i - 3}`);
        else await writer.putEdge(goal, 'GOALMEMBERSHIP', `USER-N${i}`, { memberRole: 'LEAD', date: '2026-01-01' });
        if (i % 5 === 0) await projectAll();
      }
    })();
    for (let i = 0; i < 3; i++) await check(graph, { store, mode: 'rebuild' });
    isOver = true;
    await producing;
    await projectAll();
    const after = await run();
    expect(after.drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });

  it('corrects every difference even if the consumer is known to be far behind', async () => {
    const { store, graph, run, corrupt } = await checkedTable(3);
    await corrupt('GOAL-G1', '~view', ({ edgeSet: _, ...item }) => item);
    const consumer = { appliedUpToMs: async () => 0 };
    const found = await check(graph, { store, mode: 'rebuild', consumer });
    expect(found).toMatchObject({ repaired: 1, pending: 0 });
    expect((await run()).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });

  it('is refused while a consumer of another model works on a table without a registry', async () => {
    const { store, graph } = await testTable(goalGraph(uniqueTableName()));
    const nowMs = Date.now();
    const refused = (ms = nowMs) => refuseOldConsumers(graph, store, ms);
    const consumer: ConsumerProgress = {
      ...{ id: 'old', kind: 'lambda', model: changedGraph(graph.table.name).fingerprint, seenAtMs: nowMs - 5_000 },
      ...{ records: 1, intervalMs: 10_000, isStopped: false, shards: [] },
    };
    const tell = (progress: ConsumerProgress) => store.put(progressItem(graph.table, progress, 0));
    await refused();
    await tell(consumer);
    await expect(refused()).rejects.toMatchObject({
      code: 'old-consumers',
      message: expect.stringContaining('5 s ago'),
    });
    // It is gone, has stopped, or projects this model.
    await refused(nowMs + 60_000);
    await tell({ ...consumer, isStopped: true });
    await refused();
    await tell({ ...consumer, model: graph.fingerprint });
    await refused();
    // With a registry all of them maintain what it lists.
    await tell(consumer);
    await migrate(graph, { store, wait: async () => undefined });
    await refused();
  });
});
