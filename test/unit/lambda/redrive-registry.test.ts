import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { functionLogger } from '../../../src/deployment/lambda/function-logger.ts';
import { type RedriveHandlerOptions, redriveHandler } from '../../../src/deployment/lambda/index.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { modelNotice } from '../../../src/registry/notice.ts';
import type { StreamSource } from '../../../src/stream/source.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

let printed: string[];
beforeEach(() => {
  printed = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

const graph = goalGraph();
const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 };
const WATCH = { watch: true };
const GOAL = { source: { S: 'GOAL-1' }, target: { S: 'GOAL-1' }, title: { S: 'One' } };

const emptyStore = (): MemoryStore => new MemoryStore(graph.table, { indexes: graph.indexes });

/** Calls a function of its own for each event; gives the metrics of the call. */
async function emittedBy(
  store: MemoryStore,
  event: object,
  options: Partial<RedriveHandlerOptions> = {},
): Promise<Record<string, number>> {
  printed.length = 0;
  await redriveHandler(graph, { store, logger: functionLogger('silent'), ...options })(event, context);
  const lines = printed.join('').trim().split('\n').filter(Boolean);
  return Object.assign({}, ...lines.map((line) => JSON.parse(line)));
}

it('the scheduled redrive says whether the table has a registry, and what a migration has left open; a call of the queue does not', async () => {
  const store = emptyStore();
  await store.put(GOAL);
  expect(await emittedBy(store, {})).toMatchObject({ Unmanaged: 1, MigrationOpen: 0 });
  await migrate(graph, { store, mostSteps: 2, wait: async () => {} });
  const halfDone = await emittedBy(store, {});
  expect(halfDone).toMatchObject({ Unmanaged: 0 });
  expect(halfDone['MigrationOpen']).toBeGreaterThan(0);
  await migrate(graph, { store, wait: async () => {} });
  expect(await emittedBy(store, {})).toMatchObject({ Unmanaged: 0, MigrationOpen: 0 });
  expect(await emittedBy(store, { Records: [] })).not.toHaveProperty('Unmanaged');
});

describe('a table without a registry', () => {
  it.each([
    ['a watch', WATCH],
    ['a redrive', {}],
  ])('is registered by the first call of %s, if it is empty: readers may use everything', async (_, event) => {
    const store = emptyStore();
    expect(await emittedBy(store, event)).toMatchObject({ Unmanaged: 0, MigrationOpen: 0 });
    expect(await modelNotice(graph, store)).toEqual({ isManaged: true, changes: [] });
    // A managed table is not looked through.
    const scan = vi.spyOn(store, 'scan');
    expect(await emittedBy(store, WATCH)).toMatchObject({ Unmanaged: 0, MigrationOpen: 0 });
    expect(scan).not.toHaveBeenCalled();
  });
  it('is registered if it has only items of the service, such as ledgers of a source whose items map to nothing', async () => {
    const store = emptyStore();
    await store.put({ source: { S: '~edgeloom/ledger/orders/7' }, target: { S: 'order-1' } });
    expect(await emittedBy(store, WATCH)).toMatchObject({ Unmanaged: 0, MigrationOpen: 0 });
  });
  it('is left alone if it has items, and the log says what comes next', async () => {
    const store = emptyStore();
    await store.put(GOAL);
    const logger = functionLogger('warn');
    expect(await emittedBy(store, WATCH, { logger })).toMatchObject({
      Unmanaged: 1,
      next: `npx edgeloom migrate --table ${graph.table.name}`,
    });
    expect(await modelNotice(graph, store)).toMatchObject({ isManaged: false });
  });
  it('counts as unmanaged if its first item comes during the registration; a migration makes all of it ready', async () => {
    const store = emptyStore();
    const scan = store.scan.bind(store);
    let looks = 0;
    vi.spyOn(store, 'scan').mockImplementation(async (request) => {
      // The look after the registration: a producer writes a moment before.
      if (++looks === 3) await store.put(GOAL);
      return await scan(request);
    });
    expect(await emittedBy(store, WATCH)).toMatchObject({ Unmanaged: 1, MigrationOpen: 0 });
    // Nothing is ready that was not looked at.
    expect((await modelNotice(graph, store))!.changes.length).toBeGreaterThan(0);
    expect(await emittedBy(store, WATCH)).toMatchObject({ Unmanaged: 1, MigrationOpen: 0 });
    vi.restoreAllMocks();
    expect(await migrate(graph, { store, wait: async () => {} })).toMatchObject({ done: true });
    expect(await modelNotice(graph, store)).toEqual({ isManaged: true, changes: [] });
  });
  it('is registered once by two functions at a time, at whatever moment the second one comes', async () => {
    for (let moment = 1; moment <= 4; moment++) {
      const store = emptyStore();
      const scan = store.scan.bind(store);
      let looks = 0;
      const spy = vi.spyOn(store, 'scan').mockImplementation(async (request) => {
        if (++looks === moment)
          await redriveHandler(graph, { store, logger: functionLogger('silent') })(WATCH, context);
        return await scan(request);
      });
      expect(await emittedBy(store, WATCH)).toMatchObject({ Unmanaged: 0, MigrationOpen: 0 });
      spy.mockRestore();
      expect(await modelNotice(graph, store)).toEqual({ isManaged: true, changes: [] });
    }
  });
  it('fails no call where it cannot be looked through', async () => {
    const store = emptyStore();
    vi.spyOn(store, 'scan').mockRejectedValue(new Error('AccessDeniedException'));
    expect(await emittedBy(store, {})).toMatchObject({ Unmanaged: 1 });
  });
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
  const handler = redriveHandler(graph, { store, stream, logger: functionLogger('silent') });
  await expect(handler({}, { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 })).rejects.toThrow();
  expect(asked).toBeGreaterThan(0);
});
