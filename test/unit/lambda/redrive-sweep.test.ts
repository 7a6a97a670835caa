import { beforeEach, expect, it, vi } from 'vitest';
import { functionLogger } from '../../../src/deployment/lambda/function-logger.ts';
import { redriveHandler } from '../../../src/deployment/lambda/index.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { readObserverProgress, TableMemory } from '../../../src/trust/observe/memory.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { MemoryStream } from '../../support/memory-stream.ts';

/** The sweep and the observer are one reader of the stream, besides the event source mapping: AWS allows two. */

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

const NOW = Date.parse('2026-11-20T12:00:00Z');
const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 };

async function sweptTable() {
  const graph = goalGraph();
  const store = new MemoryStore(graph.table, { indexes: graph.indexes });
  await migrate(graph, { store, wait: async () => {} });
  let nowMs = NOW;
  const stream = new MemoryStream(NOW);
  const looks = vi.spyOn(stream, 'describe');
  const handler = redriveHandler(graph, { store, stream, now: () => nowMs, logger: functionLogger('silent') });
  const observer = new TableMemory(store, () => nowMs);
  const state = { streamArn: stream.streamArn, savedMs: NOW, shards: [], ready: [], positionsMs: NOW, drift: [] };
  return {
    ...{ store, looks, observer, state },
    redrive: () => handler({}, context),
    pass: (milliseconds: number) => {
      nowMs += milliseconds;
    },
  };
}

it('a sweep reads the stream where no observer ever ran, and leaves no trace of one', async () => {
  const { store, looks, redrive } = await sweptTable();
  await redrive();
  expect(looks).toHaveBeenCalled();
  const found = await store.get({ source: '~edgeloom', target: 'observer' }, { consistent: true });
  expect(found).not.toHaveProperty('item');
});

it('a sweep leaves the stream alone while an observer works, and takes its turn between two of its calls', async () => {
  const { store, looks, observer, state, redrive } = await sweptTable();
  expect(await observer.open()).toBeUndefined();
  expect(await observer.save(state)).toBe(true);
  expect(await redrive()).toMatchObject({ swept: 0 });
  expect(looks).not.toHaveBeenCalled();
  await observer.close();
  await redrive();
  expect(looks).toHaveBeenCalledTimes(1);
  // The observer goes on at once from where it was.
  expect(await observer.open()).toMatchObject({ positionsMs: NOW, isEnded: true });
  expect(await readObserverProgress(store)).toMatchObject({ isEnded: true });
});

it('an observer waits while a sweep has its turn; one that has died is not said to have ended', async () => {
  const { store, looks, observer, state, redrive, pass } = await sweptTable();
  await observer.open();
  await observer.save(state);
  pass(61_000);
  let inSweep: unknown;
  looks.mockImplementationOnce(async () => {
    inSweep = await new TableMemory(store, () => NOW + 61_000).open();
    return { status: 'ENABLED', shards: [] };
  });
  await redrive();
  expect(inSweep).toBe('busy');
  expect(await readObserverProgress(store)).not.toHaveProperty('isEnded');
});
