import { afterEach, describe, expect, it } from 'vitest';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { memoryCheckpoint } from '../../src/stream/checkpoint.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { type Fault, type FaultKind, startFaultyEndpoint } from '../support/faulty-endpoint.ts';
import { followGraph, recordingLogger, user, viewOf } from '../support/follow-graph.ts';
import { testTable } from '../support/table.ts';

/** What a worker makes of answers that say nothing, and of connections that say nothing at all. */

/** How long a call waits where it gets no answer. Elsewhere it has the time that it has by default: a busy machine answers late. */
const SILENCE_MS = 1_000;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A worker on a table, behind an endpoint at which each operation meets the faults of its queue, one a call. */
async function workerBehind(faults: Record<string, FaultKind[]>, answerTimeoutMs?: number) {
  const table = await testTable(followGraph());
  const fault: Fault = ({ operation }) => faults[operation]?.shift();
  const { endpoint, stop } = await startFaultyEndpoint(table.endpoint, fault);
  const options = { endpoint, answerTimeoutMs, maxAttempts: 1 };
  const client = createClient(options);
  const streams = createStreamsClient(options);
  closers.push(async () => {
    client.destroy();
    streams.destroy();
    await stop();
  });
  const { graph, streamArn } = table;
  const logger = recordingLogger();
  const store = new DynamoDBStore(client, graph.table);
  const settings = { store, streams, streamArn, logger, pollIntervalMs: 20, shardIntervalMs: 250 };
  return { table, lines: logger.lines, worker: createWorker(graph, { ...settings, checkpoint: memoryCheckpoint() }) };
}

async function isClosedWhileOpen(streamArn: string, streams: ReturnType<typeof createStreamsClient>): Promise<boolean> {
  const source = new DynamoDBStreamSource(streams, streamArn);
  const [shard] = (await source.describe()).shards;
  return await source.isClosed(shard!.shardId);
}

describe('a worker whose stream is read with', () => {
  it.each<[string, FaultKind]>([
    ['an empty object', { text: '{}' }],
    ['no body', { text: '' }],
    ['null', { text: 'null' }],
    ['no answer', 'silent'],
  ])('%s for an answer reads the shard on, and says what happened', async (_, fault) => {
    const faults: Record<string, FaultKind[]> = {};
    const { table, worker, lines } = await workerBehind(faults, fault === 'silent' ? SILENCE_MS : undefined);
    const run = worker.run();
    await table.store.put(user('1'));
    await worker.idle();
    expect(await viewOf(table.store, '1')).toEqual({ name: '1', follows: [] });
    for (const operation of ['GetRecords', 'DescribeStream', 'GetRecords']) {
      const before = lines.length;
      faults[operation] = [fault];
      await expect.poll(() => faults[operation]?.length).toBe(0);
      await table.store.put(user(operation));
      await expect.poll(() => viewOf(table.store, operation)).toBeDefined();
      await expect.poll(() => lines.length).toBeGreaterThan(before);
    }
    await worker.stop();
    expect(await run).toMatchObject({ trimmed: [] });
  });

  it('a page that names no next one reads on where the stream shows the shard open', async () => {
    const faults: Record<string, FaultKind[]> = {};
    const { table, worker } = await workerBehind(faults);
    await table.store.put(user('early'));
    // The embedded engine shows every shard with records closed: there such a page is the end, as far as anyone can tell.
    const isTold = !(await isClosedWhileOpen(table.streamArn, table.streams));
    expect(isTold).toBe(process.env['EDGELOOM_TEST_ENGINE'] !== undefined);
    const run = worker.run();
    await worker.idle();
    faults['GetRecords'] = [{ text: '{"Records":[]}' }];
    await expect.poll(() => faults['GetRecords']?.length).toBe(0);
    await table.store.put(user('late'));
    if (isTold) await expect.poll(() => viewOf(table.store, 'late')).toBeDefined();
    await worker.stop();
    await run;
  });
});

describe('a worker whose table', () => {
  it('does not answer gives the call up, and projects the record with the next one', async () => {
    const faults: Record<string, FaultKind[]> = { UpdateItem: ['silent', 'silent'] };
    const { table, worker } = await workerBehind(faults, SILENCE_MS);
    await table.store.put(user('1'));
    const result = await worker.run({ untilIdle: true });
    expect(result).toMatchObject({ endedBy: 'idle' });
    expect(faults['UpdateItem']).toEqual([]);
    expect(await viewOf(table.store, '1')).toEqual({ name: '1', follows: [] });
  });
});
