import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/foundation/errors.ts';
import { createStreamsClient } from '../../../src/store/client.ts';
import { DynamoDBStreamSource } from '../../../src/stream/dynamodb-source.ts';
import { StreamError } from '../../../src/stream/source.ts';

/**
 * How the SDK's answers and errors are understood: a server plays back single answers in DynamoDB Streams' wire form,
 * among them the errors that no local engine can be brought to give.
 */
const STREAM = 'arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2026-01-01T00:00:00.000';

interface Answer {
  status?: number;
  /** An object is sent as JSON, a text as it is. */
  body: object | string;
}

let server: Server;
let answers: Answer[];
let requests: { operation: string; input: Record<string, unknown> }[];
let source: DynamoDBStreamSource;

beforeEach(async () => {
  answers = [];
  requests = [];
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    requests.push({ operation: String(request.headers['x-amz-target']).split('.')[1] ?? '', input: JSON.parse(text) });
    const { status = 200, body } = answers.shift() ?? { status: 500, body: {} };
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  source = new DynamoDBStreamSource(
    createStreamsClient({ endpoint: `http://127.0.0.1:${port}`, maxAttempts: 1 }),
    STREAM,
  );
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function error(name: string, status = 400): Answer {
  return { status, body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: `${name} as planned` } };
}

async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

describe('describe', () => {
  it('reads all pages, each from the last shard of the one before', async () => {
    const page = (Shards: object[], LastEvaluatedShardId?: string): Answer => ({
      body: { StreamDescription: { StreamArn: STREAM, StreamStatus: 'ENABLED', Shards, LastEvaluatedShardId } },
    });
    answers.push(page([{ ShardId: 'a' }, { ShardId: 'b', ParentShardId: 'a' }], 'b'), page([{ ShardId: 'c' }]));
    expect(await source.describe()).toEqual({
      status: 'ENABLED',
      shards: [{ shardId: 'a' }, { shardId: 'b', parentShardId: 'a' }, { shardId: 'c' }],
    });
    expect(requests.map(({ input }) => input['ExclusiveStartShardId'])).toEqual([undefined, 'b']);
  });

  it('tells a stream that is gone from everything that may pass', async () => {
    answers.push(error('ResourceNotFoundException'));
    expect(await failure(source.describe())).toMatchObject({ kind: 'fatal', code: 'no-stream' });
    answers.push(error('LimitExceededException'));
    expect(await failure(source.describe())).toMatchObject({ kind: 'retryable' });
    answers.push(error('InternalServerError', 500));
    expect(await failure(source.describe())).toMatchObject({ kind: 'retryable' });
    answers.push(error('ValidationException'));
    expect(await failure(source.describe())).toMatchObject({ kind: 'fatal' });
    answers.push(error('AccessDeniedException'));
    expect(await failure(source.describe())).toMatchObject({ kind: 'fatal' });
  });
});

describe('an answer that lacks what every answer has', () => {
  it.each([{}, null, ''])('is refused, and may be asked for again: %j', async (body) => {
    const asks = [() => source.read('it', 1000), () => source.describe(), () => source.iterator('a', undefined)];
    for (const ask of [...asks, () => source.latest('a'), () => source.isClosed('a')]) {
      answers.push({ body: body as object });
      expect(await failure(ask())).toMatchObject({ kind: 'retryable' });
    }
    answers.push({ body: { StreamDescription: { StreamArn: STREAM } } });
    expect(await failure(source.describe())).toMatchObject({ kind: 'retryable', code: 'incomplete-answer' });
  });
});

describe('isClosed', () => {
  const listing = (Shards: object[], StreamStatus = 'ENABLED'): Answer => ({
    body: { StreamDescription: { StreamArn: STREAM, StreamStatus, Shards } },
  });
  const closed = { ShardId: 'a', SequenceNumberRange: { StartingSequenceNumber: '1', EndingSequenceNumber: '2' } };
  const open = { ShardId: 'a', SequenceNumberRange: { StartingSequenceNumber: '1' } };

  it('follows the listing, and asks no more once a shard was shown closed', async () => {
    answers.push(listing([open]), listing([closed]));
    expect(await source.isClosed('a')).toBe(false);
    expect(await source.isClosed('a')).toBe(true);
    expect(await source.isClosed('a')).toBe(true);
    expect(requests).toHaveLength(2);
  });

  it('lists the stream once for all that ask while a listing is under way, which may have passed their shard', async () => {
    const others = Array.from({ length: 50 }, (_, i) => ({ ...closed, ShardId: `b${i}` }));
    answers.push(listing([open]), listing([closed, ...others]));
    const first = source.isClosed('a');
    const later = ['a', ...others.map(({ ShardId }) => ShardId)].map((shardId) => source.isClosed(shardId));
    expect(await first).toBe(false);
    expect(new Set(await Promise.all(later))).toEqual(new Set([true]));
    expect(requests).toHaveLength(2);
    answers.push(listing([open]), listing([{ ...open, ShardId: 'c' }]));
    // A listing that fails fails those that wait for it, and no others.
    expect(await failure(source.isClosed('c'))).toMatchObject({ kind: 'no-shard' });
    expect(await source.isClosed('c')).toBe(false);
  });

  it('takes every shard of a disabled stream for closed, and one that is not listed for gone', async () => {
    answers.push(listing([open], 'DISABLED'), listing([open]));
    expect(await source.isClosed('a')).toBe(true);
    expect(await failure(source.isClosed('b'))).toMatchObject({ kind: 'no-shard' });
  });
});

describe('iterator', () => {
  it('starts with the oldest record, or after a sequence number', async () => {
    answers.push({ body: { ShardIterator: 'one' } }, { body: { ShardIterator: 'two' } });
    expect(await source.iterator('a', undefined)).toBe('one');
    expect(await source.iterator('a', '123')).toBe('two');
    expect(requests.map(({ input }) => input)).toEqual([
      { StreamArn: STREAM, ShardId: 'a', ShardIteratorType: 'TRIM_HORIZON' },
      { StreamArn: STREAM, ShardId: 'a', ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: '123' },
    ]);
  });

  it('takes a sequence number that the shard does not have, or has no more, for trimmed', async () => {
    for (const name of ['ValidationException', 'TrimmedDataAccessException']) {
      answers.push(error(name));
      const caught = await failure(source.iterator('a', '123'));
      expect(caught).toBeInstanceOf(StreamError);
      expect(caught).toMatchObject({ kind: 'trimmed' });
    }
    answers.push(error('ValidationException'));
    expect(await failure(source.iterator('a', undefined))).toMatchObject({ kind: 'fatal' });
  });

  it('tells a shard that is gone', async () => {
    answers.push(error('ResourceNotFoundException'));
    expect(await failure(source.iterator('a', '123'))).toMatchObject({ kind: 'no-shard' });
  });
});

describe('read', () => {
  it('gives the records with their attribute values as they are, and the next iterator until the end', async () => {
    const record = {
      eventName: 'INSERT',
      dynamodb: {
        Keys: { source: { S: 'USER-1' } },
        NewImage: { n: { N: '12345678901234567890123456789012345678' } },
        SequenceNumber: '1',
        SizeBytes: 42,
      },
    };
    answers.push({ body: { Records: [record], NextShardIterator: 'next' } }, { body: { Records: [] } });
    const page = await source.read('it', 1000);
    expect(page.next).toBe('next');
    expect(page.records[0]?.dynamodb).toEqual(record.dynamodb);
    expect(await source.read('next', 1000)).toEqual({ records: [], next: undefined });
    expect(requests[0]).toEqual({ operation: 'GetRecords', input: { ShardIterator: 'it', Limit: 1000 } });
  });

  it.each([
    ['ExpiredIteratorException', { kind: 'expired' }, StreamError],
    ['TrimmedDataAccessException', { kind: 'trimmed' }, StreamError],
    ['ResourceNotFoundException', { kind: 'no-shard' }, StreamError],
    ['LimitExceededException', { kind: 'retryable' }, StoreError],
    ['ProvisionedThroughputExceededException', { kind: 'retryable' }, StoreError],
    ['ValidationException', { kind: 'fatal' }, StoreError],
  ])('understands %s', async (name, expected, type) => {
    answers.push(error(name));
    const caught = await failure(source.read('it', 1000));
    expect(caught).toBeInstanceOf(type);
    expect(caught).toMatchObject(expected);
  });

  it('takes a connection that breaks for something that may pass', async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    expect(await failure(source.read('it', 1000))).toMatchObject({ kind: 'retryable', code: 'no-connection' });
    server = createServer().listen(0);
    await once(server, 'listening');
  });
});
