import { expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import type { BatchResult } from '../../src/projecting/apply/projector-types.ts';
import { WorkerReport } from '../../src/projecting/worker/report.ts';
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
  const warnings: [object, string][] = [];
  const ignore = (): void => undefined;
  const logger = {
    ...{ debug: ignore, info: ignore, error: ignore },
    warn: (details: object, message: string) => warnings.push([details, message]),
  };
  const report = new WorkerReport({
    logger: { ...logger, warn: (details, message) => void logger.warn(details, message) },
  });
  const records = await allRecords();
  for (const batch of [records.slice(0, 2), records.slice(2)]) {
    const result: BatchResult = await projector.project(batch);
    expect(result.quarantines).toMatchObject([{ code: 'wrong-type', count: batch.length }]);
    report.onBatch('shard', batch, batch.length, result, 1);
  }
  expect(warnings).toHaveLength(1);
  expect(warnings[0]![1]).toMatch(/^Records go into quarantine \(wrong-type\): USER-\d USER-\d - .*age/);
  report.result('stop');
  expect(warnings).toHaveLength(2);
  expect(warnings[1]![1]).toMatch(/^3 quarantine entries were put \(wrong-type\)/);
});
