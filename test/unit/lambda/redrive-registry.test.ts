import { expect, it, vi } from 'vitest';
import { redriveHandler } from '../../../src/deployment/lambda/index.ts';
import { jsonLines } from '../../../src/deployment/lambda/json-lines.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

it('the scheduled redrive says whether the table has a registry, and what a migration has left open; a call of the queue does not', async () => {
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  const graph = goalGraph();
  const store = new MemoryStore(graph.table, { indexes: graph.indexes });
  await store.put({ source: { S: 'GOAL-1' }, target: { S: 'GOAL-1' }, title: { S: 'One' } });
  const handler = redriveHandler(graph, { store, logger: jsonLines('silent') });
  const emittedBy = async (event: object): Promise<Record<string, number>> => {
    printed.length = 0;
    await handler(event, { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 });
    return Object.assign(
      {},
      ...printed
        .join('')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  };
  expect(await emittedBy({})).toMatchObject({ Unmanaged: 1, MigrationOpen: 0 });
  await migrate({ graph, store, mostSteps: 2, wait: async () => {} });
  const halfDone = await emittedBy({});
  expect(halfDone).toMatchObject({ Unmanaged: 0 });
  expect(halfDone['MigrationOpen']).toBeGreaterThan(0);
  await migrate({ graph, store, wait: async () => {} });
  expect(await emittedBy({})).toMatchObject({ Unmanaged: 0, MigrationOpen: 0 });
  expect(await emittedBy({ Records: [] })).not.toHaveProperty('Unmanaged');
});
