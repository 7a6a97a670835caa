import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import type { BatchReport, WorkerSettings } from '../../src/projecting/worker/worker-types.ts';
import { createTable, deleteTable } from '../../src/store/table-description.ts';
import { fileCheckpoint, memoryCheckpoint } from '../../src/stream/checkpoint.ts';
import { throughCalls } from '../support/calls.ts';
import { followGraph, follows, recordingLogger, user, viewOf } from '../support/follow-graph.ts';
import { testTable } from '../support/table.ts';

type Table = Awaited<ReturnType<typeof testTable>>;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-worker-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function worker(table: Table, settings: Partial<WorkerSettings> = {}) {
  const { graph, store, streams, streamArn } = table;
  return createWorker(graph, { store, streams, streamArn, pollIntervalMs: 20, ...settings });
}

function untilIdle(table: Table, settings: Partial<WorkerSettings> = {}) {
  return worker(table, settings).run({ untilIdle: true });
}

async function putUsers(table: Table, from: number, to: number): Promise<void> {
  const puts = Array.from({ length: to - from }, (_, i) => ({ put: user(`${from + i}`) }));
  await table.store.writeMany(puts);
}

describe('a worker on a real stream', () => {
  it('projects all that stands in the stream, and nothing in a second run right after', async () => {
    const table = await testTable(followGraph());
    await putUsers(table, 0, 20);
    await table.store.put(follows('1', '2'));
    await table.store.put(follows('1', '3'));
    await table.store.delete({ source: 'USER-1', target: 'FOLLOWS-USER-2' });
    const checkpoint = fileCheckpoint(join(folder, 'twice.json'));

    const first = await untilIdle(table, { checkpoint });
    const second = await untilIdle(table, { checkpoint });

    expect(first).toMatchObject({ records: 23, conflicts: 0, quarantined: 0, trimmed: [], endedBy: 'idle' });
    expect(await viewOf(table.store, '1')).toEqual({ name: '1', follows: ['3'] });
    expect(second).toMatchObject({ records: 0, touches: 0, writes: 0, wcu: 0, batches: 0, endedBy: 'idle' });
  });

  it('projects what is written while it runs, until it is stopped', async () => {
    const table = await testTable(followGraph());
    const running = worker(table);
    const run = running.run();
    await putUsers(table, 0, 3);
    await running.idle();
    expect(await viewOf(table.store, '2')).toEqual({ name: '2', follows: [] });
    await table.store.put(follows('2', '0'));
    await running.idle();
    expect(await viewOf(table.store, '2')).toEqual({ name: '2', follows: ['0'] });
    await running.stop();
    await running.stop();
    expect(await run).toMatchObject({ records: 4, endedBy: 'stop' });
  });

  it('keeps batches within maxBatchRecords', async () => {
    const table = await testTable(followGraph());
    await putUsers(table, 0, 45);
    const reports: BatchReport[] = [];
    await untilIdle(table, { maxBatchRecords: 10, onBatch: (report) => reports.push(report) });
    expect(reports.map(({ records }) => records.length)).toEqual([10, 10, 10, 10, 5]);
    expect(reports.map(({ totals }) => totals.records)).toEqual([10, 20, 30, 40, 45]);
    for (const { newestRecordAgeMs } of reports) expect(newestRecordAgeMs).toBeGreaterThanOrEqual(0);
  });

  it('stops gracefully: the batch in hand is applied and kept, the next worker repeats none of it', async () => {
    const table = await testTable(followGraph());
    await putUsers(table, 0, 60);
    const checkpoint = memoryCheckpoint();
    let updates = 0;
    const stopping = throughCalls(table.store, async (method, _parameters, call) => {
      if (method === 'update' && ++updates === 10) void first.stop();
      return await call();
    });
    const first = worker(table, { checkpoint, maxBatchRecords: 40, store: stopping, stopGraceMs: 600_000 });
    expect(await first.run()).toMatchObject({ endedBy: 'stop', batches: 1, records: 40 });
    expect(await untilIdle(table, { checkpoint })).toMatchObject({ records: 20, conflicts: 0 });
    expect(await viewOf(table.store, '59')).toEqual({ name: '59', follows: [] });
  });

  it('does nothing when it is stopped before it runs, and runs once only', async () => {
    const table = await testTable(followGraph());
    await putUsers(table, 0, 1);
    const stopped = worker(table);
    await stopped.stop();
    expect(await stopped.run()).toMatchObject({ records: 0, endedBy: 'stop' });
    await expect(stopped.run()).rejects.toMatchObject({ code: 'already-ended', message: 'A worker runs once.' });
    await expect(stopped.idle()).rejects.toMatchObject({
      code: 'already-ended',
      message: 'The worker ended before the stream was quiet.',
    });
  });
});

describe('a table that is deleted', () => {
  it('and re-created: the old checkpoint is not used, and nothing of the old table comes back', async () => {
    const graph = followGraph();
    const table = await testTable(graph);
    const file = join(folder, 're-created.json');
    await table.store.put(user('old'));
    await untilIdle(table, { checkpoint: fileCheckpoint(file) });
    await table.store.put(user('unread'));
    await deleteTable(graph, { client: table.client });
    const { streamArn = '' } = await createTable(graph, { client: table.client });
    await table.store.put(user('new'));
    const logger = recordingLogger();

    await untilIdle({ ...table, streamArn }, { checkpoint: fileCheckpoint(file), logger });

    expect(logger.lines.join()).toContain('The checkpoint is of another stream');
    expect(await viewOf(table.store, 'new')).toEqual({ name: 'new', follows: [] });
    expect(await viewOf(table.store, 'old')).toBeUndefined();
    expect(await viewOf(table.store, 'unread')).toBeUndefined();
    expect(await untilIdle({ ...table, streamArn }, { checkpoint: fileCheckpoint(file) })).toMatchObject({
      records: 0,
    });
  });

  it('ends the worker with an error that says so', async () => {
    const graph = followGraph();
    const table = await testTable(graph);
    await putUsers(table, 0, 2);
    const running = worker(table, { shardIntervalMs: 250, logger: recordingLogger() });
    const run = running.run();
    await running.idle();
    await deleteTable(graph, { client: table.client });
    const ended = expect(run).rejects.toMatchObject({ code: expect.stringMatching(/^(no-stream|stream-ended)$/) });
    await ended;
    await running.stop();
  });
});
