import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { redriveHandler, streamHandler } from '../../src/deployment/lambda/index.ts';
import { redriveQueue } from '../../src/trust/failures/failure-queue.ts';
import { edgeloom, ROOT } from '../support/command.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { openQueue, type QueueServer, startQueueServer } from '../support/queue-server.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** A message of an on-failure destination is settled or left by itself, and reaches nothing but its own table and bucket. */

const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 60_000 };
const logger = pino({ level: 'silent' });
const OTHER_STREAM = 'arn:aws:dynamodb:us-east-1:000000000000:table/other/stream/2026-01-01T00:00:00.000';

const KEYS = { source: { S: 'USER-1' }, target: { S: 'USER-1' } };
const ADA = { ...KEYS, name: { S: 'Ada' } };

let server: QueueServer;
beforeEach(async () => {
  server = await startQueueServer();
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

async function failedTable() {
  const table = await testTable(goalGraph(uniqueTableName()));
  const { store, streams, streamArn } = table;
  await store.put(ADA);
  const asked: string[] = [];
  const readObject = async (bucket: string, key: string): Promise<string> => {
    asked.push(`${bucket}/${key}`);
    return wholeRecord(streamArn, '1', KEYS, ADA);
  };
  const isSettled = async () => (await store.get({ source: 'USER-1', target: '~ix/name' }, { consistent: true })).item;
  return { ...table, asked, isSettled, sources: { streams, readObject, buckets: ['failed'] } };
}

/** A batch as a bucket keeps it, of one record. */
function wholeRecord(streamArn: string, SequenceNumber: unknown, Keys: unknown, NewImage: unknown = {}): string {
  const range = { streamArn, shardId: 'shardId-1', startSequenceNumber: '1', endSequenceNumber: '1' };
  const Records = [{ eventName: 'INSERT', dynamodb: { Keys, NewImage, SequenceNumber } }];
  return JSON.stringify({ DDBStreamBatchInfo: range, payload: JSON.stringify({ Records }) });
}

function notification(bucket: string, key: string): string {
  return JSON.stringify({ Records: [{ s3: { bucket: { name: bucket }, object: { key } } }] });
}

/** Messages that stopped all others, or reached too far, with a part of the reason they are left for. */
const BAD: readonly [what: string, reason: RegExp, message: (streamArn: string) => string][] = [
  [
    'an object key with a broken percent escape',
    /key that cannot be decoded/,
    () => notification('failed', '%E0%A4%A'),
  ],
  ['a sequence number that is no number', /no sequence number/, (arn) => wholeRecord(arn, '12x', KEYS)],
  ['a sequence number that is no text', /no sequence number/, (arn) => wholeRecord(arn, { n: 1 }, KEYS)],
  [
    'keys that are numbers',
    /no sequence number or no text keys/,
    (arn) => wholeRecord(arn, '1', { source: { N: '1' } }),
  ],
  ['keys that are plain texts', /no text keys/, (arn) => wholeRecord(arn, '1', { source: 'a', target: 'b' })],
  ['no keys', /no text keys/, (arn) => wholeRecord(arn, '1', null)],
  ['the stream of another table', /not one of the table/, () => wholeRecord(OTHER_STREAM, '1', KEYS)],
  ['a stream that is none', /not the ARN/, () => wholeRecord('x'.repeat(1000), '1', KEYS)],
  ["a bucket that is not the stack's", /bucket "other"/, () => notification('other', 'key')],
];

describe('redrive of the messages of a queue', () => {
  // The queue of the tests gives out ten messages.
  it.each([BAD.slice(0, 6), BAD.slice(6)])(
    'settles the valid ones, and leaves the others, each with its own reason',
    async (...bad) => {
      const { graph, store, sources, streamArn, isSettled, asked } = await failedTable();
      for (const [what, , message] of bad) server.messages.set(what, message(streamArn));
      server.messages.set('valid', notification('failed', 'a+b'));
      const result = await redriveQueue(server.queueUrl, sources, { graph, store, openQueue });
      expect(result).toMatchObject({ repaired: 1, left: bad.length });
      for (const [what, reason] of bad) {
        const given = result.reasons.find((text) => text.startsWith(`message ${what}: `));
        expect(given, what).toMatch(reason);
        expect(given!.length).toBeLessThan(500);
      }
      expect([...server.messages.keys()]).toEqual(bad.map(([what]) => what));
      expect(asked).toEqual(['failed/a b']);
      expect(await isSettled()).toBeDefined();
    },
  );

  it('in the handler reports the bad ones and settles the valid one', async () => {
    const { graph, store, sources, streamArn, isSettled } = await failedTable();
    const handler = redriveHandler(graph, { store, sources, logger });
    const record = (messageId: string, body: string) => ({ messageId, body, eventSource: 'aws:sqs' });
    const bad = BAD.map(([what, , message]) => record(what, message(streamArn)));
    const answer = await handler({ Records: [...bad, record('valid', notification('failed', 'key'))] }, context);
    expect(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(BAD.map(([what]) => what));
    expect(await isSettled()).toBeDefined();
  });

  it('reads no bucket unless one is named', async () => {
    const { graph, store, sources, asked } = await failedTable();
    server.messages.set('m', notification('failed', 'key'));
    const result = await redriveQueue(server.queueUrl, { ...sources, buckets: undefined }, { graph, store, openQueue });
    expect(result).toMatchObject({ repaired: 0, left: 1, reasons: [expect.stringContaining('--bucket')] });
    expect(asked).toEqual([]);
  });
});

describe('the stream handler', () => {
  it('refuses a batch with a record of another table, and writes nothing', async () => {
    const { graph, store, streamArn } = await failedTable();
    const handler = streamHandler(graph, { store, logger });
    const record = (eventSourceARN: string | undefined, number: string) => ({
      ...{ eventName: 'INSERT', eventSourceARN },
      dynamodb: { Keys: KEYS, NewImage: KEYS, SequenceNumber: number },
    });
    const others = [
      OTHER_STREAM,
      streamArn.replace(':table/', ':table/x'),
      `${streamArn.split('/stream/')[0]}-x/stream/1`,
    ];
    for (const other of others) {
      const Records = [record(streamArn, '1'), record(other, '2')];
      await expect(handler({ Records }, context)).rejects.toMatchObject({ code: 'wrong-table' });
    }
    await expect(handler({ Records: [record(undefined, '1')] }, context)).rejects.toMatchObject({
      code: 'wrong-table',
      message: expect.stringContaining('is not the ARN'),
    });
    expect((await store.get({ source: 'USER-1', target: '~view' }, { consistent: true })).item).toBeUndefined();
    expect(await handler({ Records: [record(streamArn, '1')] }, context)).toEqual({ batchItemFailures: [] });
  });
});

describe('the URL of a queue', () => {
  it.each([
    'https://example.com/123456789012/queue',
    'https://sqs.eu-central-1.amazonaws.com.example.com/1/queue',
    'https://evil.execute-api.eu-central-1.amazonaws.com/1/queue',
    'https://xsqs.eu-central-1.amazonaws.com/1/queue',
    'http://sqs.eu-central-1.amazonaws.com/1/queue',
    'http://localhost.example.com/queue',
    'http://localhost:80@example.com/queue',
    'https://',
  ])('gets no request where it is neither of SQS nor of this machine: %s', async (queueUrl) => {
    const { graph, store, sources } = await failedTable();
    const options = { graph, store, openQueue };
    await expect(redriveQueue(queueUrl, sources, options)).rejects.toMatchObject({
      code: 'not-allowed',
      message: expect.stringContaining('No signed request'),
    });
  });

  it('gets none in clear text from the command either', async () => {
    const requests: unknown[] = [];
    const listener = createServer((request, response) => {
      requests.push(request.headers);
      response.end('{}');
    });
    listener.listen(0, '0.0.0.0');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const queue = `http://0.0.0.0:${port}/123456789012/queue`;
    const result = await edgeloom(['redrive', '--json', '--from-failure', queue, '--any-host'], { cwd: ROOT });
    expect(result.code).toBe(2);
    expect(JSON.parse(result.stdout)).toMatchObject({ error: { code: 'not-allowed' } });
    expect(requests).toEqual([]);
    listener.close();
  });
});
