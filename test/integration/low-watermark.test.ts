import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import type { Store } from '../../src/core/store-port.ts';
import { redriveHandler } from '../../src/deployment/lambda/redrive-handler.ts';
import { streamHandler } from '../../src/deployment/lambda/stream-handler.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { classifyError } from '../../src/store/classify.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { readClaims } from '../../src/stream/progress/claims.ts';
import { createLowWatermark } from '../../src/stream/progress/low-watermark.ts';
import { redriveMessage } from '../../src/trust/failures/failure-queue.ts';
import { sweep } from '../../src/trust/repair/sweep.ts';
import { followGraph, follows, user } from '../support/follow-graph.ts';
import { countingStreams } from '../support/stream-readers.ts';
import { testTable } from '../support/table.ts';

const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 60_000 };
/** The stream tells whole seconds, that of DynamoDB Local whole minutes. */
const STAMP_MS = 61_000;

beforeEach(() => {
  // Metrics go to stdout as they do in Lambda.
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A table with records in its stream, functions that are called with some of them, and a mark that is looked at much later. */
async function markedTable(users: number) {
  const table = await testTable(followGraph());
  const { graph, store, client, streams, streamArn } = table;
  for (let i = 0; i < users; i++) await store.put(user(`${i}`));
  const records = await table.allRecords();
  let laterMs = 600_000;
  const now = (): number => Date.now() + laterMs;

  /** Calls a new function with some records. One that freezes writes nothing after its first claims. */
  async function invoke(batches: readonly (readonly ChangeRecord[])[], through: Store = store): Promise<void> {
    const handler = streamHandler(graph, { store: through });
    for (const batch of batches) {
      await handler({ Records: batch.map((record) => rawOf(record, streamArn)) }, context);
    }
  }

  /** The mark, as it is told once the lease of whoever asked before is over. */
  async function mark(): Promise<number | undefined> {
    laterMs += 60_000;
    return await createLowWatermark(graph, { store, client, streams, now })();
  }

  /** Whether the mark has passed all that was written. */
  async function hasPassed(): Promise<boolean> {
    return ((await mark()) ?? 0) > Date.now() + STAMP_MS;
  }

  const source = new DynamoDBStreamSource(streams, streamArn);
  const swept = () => sweep({ graph, store, source, now });
  return { ...table, records, invoke, mark, hasPassed, swept, source, now };
}

function rawOf({ source, target, oldImage, newImage, sequenceNumber }: ChangeRecord, eventSourceARN: string) {
  return {
    eventName: oldImage === undefined ? 'INSERT' : 'MODIFY',
    eventSourceARN,
    dynamodb: {
      Keys: { source: { S: source }, target: { S: target } },
      ...{ OldImage: oldImage, NewImage: newImage, SequenceNumber: sequenceNumber },
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
    },
  };
}

describe('the low watermark of a stream', () => {
  it('stands still at a batch that was given up without a word, until a redrive has settled it', async () => {
    const { graph, store, streams, streamArn, source, records, invoke, hasPassed, now } = await markedTable(6);
    await invoke([records.slice(0, 2)]);
    await invoke([records.slice(4)]);
    expect(await hasPassed()).toBe(false);
    const { shards } = await source.describe();
    const range = {
      ...{ streamArn, shardId: shards[0]!.shardId },
      startSequenceNumber: records[2]!.sequenceNumber,
      endSequenceNumber: records[3]!.sequenceNumber,
    };
    const message = JSON.stringify({ version: '1.0', DDBStreamBatchInfo: range });
    const sources = { streams, readObject: async () => '' };
    expect(await redriveMessage(message, sources, { graph, store, now })).toMatchObject({ repaired: 2, left: 0 });
    expect(await hasPassed()).toBe(true);
  });

  it('goes on once a redrive has settled one message about batches of two streams', async () => {
    const { graph, store, streams, streamArn, source, records, invoke, hasPassed, now } = await markedTable(6);
    await invoke([records.slice(0, 2)]);
    await invoke([records.slice(4)]);
    const { shards } = await source.describe();
    const replaced = streamArn.replace(/[^/]*$/, '2020-01-01T00:00:00.000');
    const batchOf = (arn: string, batch: readonly ChangeRecord[]): string =>
      JSON.stringify({
        version: '1.0',
        DDBStreamBatchInfo: {
          ...{ streamArn: arn, shardId: shards[0]!.shardId },
          startSequenceNumber: batch[0]!.sequenceNumber,
          endSequenceNumber: batch.at(-1)!.sequenceNumber,
        },
        payload: JSON.stringify({ Records: batch.map((record) => rawOf(record, arn)) }),
      });
    const objects: Record<string, string> = {
      old: batchOf(replaced, records.slice(0, 1)),
      new: batchOf(streamArn, records.slice(2, 4)),
    };
    const Records = Object.keys(objects).map((key) => ({ s3: { bucket: { name: 'failed' }, object: { key } } }));
    const readObject = async (_bucket: string, key: string): Promise<string> => objects[key]!;
    const sources = { streams, readObject, buckets: ['failed'] };
    expect(await hasPassed()).toBe(false);
    const message = JSON.stringify({ Records });
    expect(await redriveMessage(message, sources, { graph, store, now })).toMatchObject({ repaired: 3, left: 0 });
    expect(await hasPassed()).toBe(true);
    const claimsOf = async (label: string) => [...(await readClaims(store, graph.table, label, 0)).values()].flat();
    expect((await claimsOf('2020-01-01T00:00:00.000')).map((claim) => claim.records)).toEqual([1]);
  });

  it('stands still behind a batch that failed in its midst, and counts what was applied of it', async () => {
    const { store, records, invoke, hasPassed } = await markedTable(4);
    const failing = withReplacedCalls(store, {
      update: (update) => {
        if (update.key.source === records[2]!.source) return Promise.reject(new StoreError('fatal', 'refused', 'No.'));
        return store.update(update);
      },
    });
    await invoke([records], failing);
    expect(await hasPassed()).toBe(false);
    await invoke([records.slice(2)]);
    expect(await hasPassed()).toBe(true);
  });

  it('is not known where two batches of a shard are applied at a time', async () => {
    const { records, invoke, mark, swept } = await markedTable(6);
    const lanes = [0, 1].map((lane) => records.filter((_, i) => i % 2 === lane));
    await invoke([lanes[0]!]);
    expect(await mark()).toBeUndefined();
    expect(await swept()).toMatchObject({ entries: 0 });
    await invoke([lanes[1]!]);
    expect(await mark()).toBeUndefined();
  });

  it('goes on once a sweep has read past a page that is empty before the end of its shard', async () => {
    const { graph, store, source, records, invoke, hasPassed, now } = await markedTable(4);
    await invoke([records.slice(0, 1)]);
    let reads = 0;
    const withGaps = Object.assign(Object.create(source) as typeof source, {
      read: async (iterator: string, limit: number) =>
        reads++ % 2 === 0 ? { records: [], next: iterator } : await source.read(iterator, limit),
    });
    expect(await sweep({ graph, store, source: withGaps, now })).toMatchObject({ entries: 3, repaired: 3, left: 0 });
    expect(await hasPassed()).toBe(true);
  });

  it('goes on once the redrive function has been called by its schedule', async () => {
    const { graph, store, source, records, invoke, hasPassed, now } = await markedTable(5);
    await invoke([records.slice(0, 2)]);
    const handler = redriveHandler(graph, { store, stream: source, now });
    expect(await handler({}, context)).toMatchObject({ swept: 3, entries: 0, left: 0 });
    expect(await hasPassed()).toBe(true);
    expect(await handler({}, context)).toMatchObject({ swept: 0 });
    // Without its stream it does what it did.
    expect(await redriveHandler(graph, { store })({}, context)).toMatchObject({ swept: 0 });
  });

  it('leaves young records to their consumer', async () => {
    const { graph, store, source } = await markedTable(2);
    expect(await sweep({ graph, store, source, ageMs: 3_600_000 })).toMatchObject({ entries: 0 });
  });

  it('is moved by one process at a time, and read by all others', async () => {
    const { graph, store, client, streams, streamArn } = await markedTable(4);
    await store.put(follows('1', '2'));
    await createWorker(graph, { store, streams, streamArn, pollIntervalMs: 20 }).run({ untilIdle: true });
    const { client: counting, reads } = countingStreams(streams);
    // One moment, which the lease of the first one outlasts.
    const nowMs = Date.now();
    const options = { store, client, streams: counting, now: () => nowMs };
    const first = await createLowWatermark(graph, options)();
    expect(first).toBeGreaterThan(nowMs - 60_000);
    const walked = reads.length;
    expect(walked).toBeGreaterThan(0);
    for (let i = 0; i < 3; i++) expect(await createLowWatermark(graph, options)()).toBe(first);
    expect(reads).toHaveLength(walked);
  });

  it('is told where the own partition may not be written to', async () => {
    const { graph, store, client, streams, records, invoke } = await markedTable(3);
    await invoke([records]);
    const refusal = Object.assign(new Error('no'), { name: 'AccessDeniedException' });
    const readOnly = withReplacedCalls(store, { update: () => Promise.reject(classifyError(refusal)) });
    const now = () => Date.now() + 600_000;
    expect(await createLowWatermark(graph, { store: readOnly, client, streams, now })()).toBeGreaterThan(Date.now());
  });
});
