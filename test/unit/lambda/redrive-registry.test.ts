import { expect, it, vi } from 'vitest';
import { redriveHandler } from '../../../src/deployment/lambda/index.ts';
import { jsonLines } from '../../../src/deployment/lambda/json-lines.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import type { StreamSource } from '../../../src/stream/source.ts';
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

it('the scheduled redrive sweeps the stream, also where the states that it tells cannot be read', async () => {
  const graph = goalGraph();
  const table = new MemoryStore(graph.table, { indexes: graph.indexes });
  const store = new Proxy(table, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (name === 'getMany') return () => Promise.reject(new StoreError('fatal', 'throttled', 'Throttled.'));
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  let asked = 0;
  const stream = new Proxy({} as StreamSource, {
    get: () => async () => {
      asked += 1;
      throw new StoreError('fatal', 'no-stream', 'No stream.');
    },
  });
  const handler = redriveHandler(graph, { store, stream, logger: jsonLines('silent') });
  await expect(handler({}, { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 })).rejects.toThrow();
  expect(asked).toBeGreaterThan(0);
});
