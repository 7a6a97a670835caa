import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/migrate/migrate.ts';
import { type ConsumerProgress, progressItem } from '../../src/stream/progress/consumers.ts';
import { check } from '../../src/trust/check/check.ts';
import { refuseOldConsumers } from '../../src/trust/check/old-consumers.ts';
import { checkedTable } from '../support/checked-table.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

describe('a rebuild', () => {
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

  it('is refused while a consumer of another model works on a table without a registry', async () => {
    const { store, graph } = await testTable(goalGraph(uniqueTableName()));
    const nowMs = Date.now();
    const refused = (ms = nowMs) => refuseOldConsumers(graph, store, ms);
    const consumer: ConsumerProgress = {
      ...{ id: 'old', kind: 'lambda', model: '00000000', seenAtMs: nowMs - 5_000 },
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
