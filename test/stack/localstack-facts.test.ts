import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { streamHandler } from '../../src/deployment/lambda/index.ts';
import { check } from '../../src/trust/check/check.ts';
import { parseFailedBatch } from '../../src/trust/failures/failed-batch.ts';
import { followGraph, follows, user, viewOf } from '../support/follow-graph.ts';
import { testTable } from '../support/table.ts';

/**
 * LocalStack itself does not run here. What it does otherwise than AWS is replayed: sequence numbers of 56 digits, batches of at
 * most 1,000 records, an on-failure object whose payload is no text. LocalStack does not bisect batches.
 */

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(() => vi.restoreAllMocks());

const LABEL = '2026-01-01T00:00:00.000';
const streamOf = (table: string): string => `arn:aws:dynamodb:us-east-1:000000000000:table/${table}/stream/${LABEL}`;
const STREAM = streamOf('records');

/** The number that the emulator gives to its n-th record. */
const longNumber = (n: number): string => `49${String(n).padStart(54, '0')}`;

/** A record as the emulator gives it, of the stream of a table. */
function record(
  table: string,
  n: number,
  sequenceNumber: string,
  item: ReturnType<typeof user>,
  before?: ReturnType<typeof user>,
) {
  const { source, target } = item;
  return {
    eventName: before === undefined ? 'INSERT' : 'MODIFY',
    eventSourceARN: streamOf(table),
    dynamodb: {
      Keys: { source, target },
      NewImage: item,
      ...(before !== undefined && { OldImage: before }),
      SequenceNumber: sequenceNumber,
      ApproximateCreationDateTime: 1_767_225_600 + n,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  } as never;
}

describe('records with sequence numbers of 56 digits', () => {
  it('are projected in order, beside items of shorter numbers, and old ones change nothing', async () => {
    const { graph, store } = await testTable(followGraph());
    const { name } = graph.table;
    const handler = streamHandler(graph, { store, logger: pino({ level: 'silent' }) });
    const context = { awsRequestId: '1', getRemainingTimeInMillis: () => 60_000 };
    const deliver = async (...records: never[]): Promise<void> => {
      expect(await handler({ Records: records }, context)).toEqual({ batchItemFailures: [] });
    };
    for (const item of [user('1', 'newest'), user('2'), follows('1', '2')]) await store.put(item);
    // A number of this length was all that could be stored before.
    await deliver(record(name, 1, '9'.repeat(40), user('1', 'short')));
    const old = record(name, 2, longNumber(8), user('1', 'old'), user('1', 'short'));
    await deliver(old, record(name, 3, longNumber(9), follows('1', '2')), record(name, 4, longNumber(10), user('2')));
    await deliver(record(name, 5, longNumber(100), user('1', 'newest'), user('1', 'old')));
    await deliver(old);
    expect(await viewOf(store, '1')).toEqual({ name: 'newest', follows: ['2'] });
    const { drift } = await check(graph, { store, graceMs: 10 });
    expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });
});

describe('an on-failure object', () => {
  const info = {
    streamArn: STREAM,
    shardId: 'shard-1',
    startSequenceNumber: longNumber(1),
    endSequenceNumber: longNumber(2),
  };
  const Records = [record('records', 1, longNumber(1), user('1'))];

  it('holds its payload as text on AWS and as an object there: both are read', () => {
    const read = (payload: unknown) => parseFailedBatch(JSON.stringify({ DDBStreamBatchInfo: info, payload })).payload;
    expect(read(JSON.stringify({ Records }))).toEqual({ Records });
    expect(read({ Records })).toEqual({ Records });
    expect(() => read({ Records: 'none' })).toThrow(/not one that an event source mapping/);
    expect(() => read(7)).toThrow(/not one that an event source mapping/);
  });
});
