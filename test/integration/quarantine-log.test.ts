import { expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import type { BatchResult, Projector, QuarantineKind } from '../../src/projecting/apply/projector-types.ts';
import { WorkerReport } from '../../src/projecting/worker/report.ts';
import { createSourceWorker } from '../../src/projecting/worker/worker.ts';
import { followGraph, recordingLogger, user } from '../support/follow-graph.ts';
import { ScriptedStream } from '../support/scripted-stream.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

it('records in quarantine are not passed over in silence: a worker warns once for each kind, and counts', async () => {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: { USER: node({ view: 'ALL', search: { age: { type: 'number' } } }) },
  });
  const { store, allRecords, projector } = await testTable(graph);
  for (let i = 0; i < 3; i++) {
    await store.put({ source: { S: `USER-${i}` }, target: { S: `USER-${i}` }, age: { S: 'old' } });
  }
  const logger = recordingLogger();
  const report = new WorkerReport({ logger });
  const records = await allRecords();
  for (const batch of [records.slice(0, 2), records.slice(2)]) {
    const result: BatchResult = await projector.project(batch);
    expect(result.quarantines).toMatchObject([{ code: 'wrong-type', count: batch.length }]);
    report.onBatch({ shardId: 'shard', records: batch, applied: batch.length, result, milliseconds: 1 });
  }
  const first = expect.stringMatching(/^Records go into quarantine \(wrong-type\): USER-\d USER-\d - .*age/);
  expect(logger.lines).toEqual([first]);
  report.onEnd();
  expect(logger.lines).toEqual([first, expect.stringMatching(/^3 quarantine entries were put \(wrong-type\)/)]);
});

it('a worker counts the entries that are there, also where its run fails', async () => {
  const { graph, store } = await testTable(followGraph());
  const source = new ScriptedStream(store);
  source.open('only');
  await source.put('only', user('1'));
  const quarantines: QuarantineKind[] = [
    { code: 'wrong-type', count: 2, reason: 'of a wrong type' },
    { code: 'full', count: 1, reason: 'cannot be written', isRefused: true },
    { code: 'wrong-type', count: 1, reason: 'refused too', isRefused: true },
  ];
  const projector: Projector = {
    async project(records) {
      const failed = { failedFrom: records[0]!, error: new StoreError('fatal', 'planned', 'No rights.') };
      const nothing = { records: 1, touches: 0, writes: 0, wcu: 0, rcu: 0, conflicts: 0, quarantined: 4 };
      return { ...nothing, quarantines, ...failed };
    },
  };
  const logger = recordingLogger();
  const worker = createSourceWorker(graph, { source, store, projector, logger, pollIntervalMs: 10 });
  await expect(worker.run()).rejects.toMatchObject({ code: 'planned' });
  expect(logger.lines).toEqual([
    'Records go into quarantine (wrong-type): of a wrong type',
    'An item is not in quarantine, as its entry was refused (full): cannot be written',
    'An item is not in quarantine, as its entry was refused (wrong-type): refused too',
    '2 quarantine entries were put (wrong-type); once the base items are corrected, edgeloom redrive clears them.',
  ]);
});
