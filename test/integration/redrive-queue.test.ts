import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { redriveHandler } from '../../src/deployment/lambda/index.ts';
import { sendToQueue } from '../../src/deployment/lambda/queue-service.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import type { Shard } from '../../src/stream/source.ts';
import { redriveQueue } from '../../src/trust/failures/failure-queue.ts';
import { redrive } from '../../src/trust/repair/redrive.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { HookedStore } from '../support/hooked-store.ts';
import { openQueue, type QueueServer, startQueueServer } from '../support/queue-server.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const ARN = 'arn:aws:sqs:eu-central-1:123456789012:failed-batches';
const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 60_000 };

/** Shards whose records have left the stream, by how DynamoDB says so. */
const GONE = ['TrimmedDataAccessException', 'ResourceNotFoundException', 'ValidationException'].map(
  (name, i) => [`shardId-0000000000000000000${i}-00000000`, name] as const,
);

let server: QueueServer;
beforeEach(async () => {
  server = await startQueueServer();
  // Metrics go to stdout as they do in Lambda.
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

/** A table with three users in its stream that nothing was projected of, and messages about them. */
async function failedTable() {
  const table = await testTable(goalGraph(uniqueTableName()));
  const { graph, store, streams, streamArn } = table;
  for (const id of ['USER-1', 'USER-2', 'USER-3']) {
    await store.put({ source: { S: id }, target: { S: id }, name: { S: `name of ${id}` } });
  }
  const { shards } = await new DynamoDBStreamSource(streams, streamArn).describe();
  const [{ shardId }] = shards as [Shard];
  const Records = await table.rawRecords();
  const numbers = Records.map(({ dynamodb }) => dynamodb!.SequenceNumber!);
  const range = (first: number, last: number, arn = streamArn) => ({
    ...{ streamArn: arn, shardId, startSequenceNumber: numbers[first]!, endSequenceNumber: numbers[last]! },
  });
  const message = (first: number, last: number) =>
    JSON.stringify({ version: '1.0', DDBStreamBatchInfo: range(first, last) });
  const nameOf = async (id: string): Promise<Item | undefined> =>
    (await store.get({ source: id, target: '~ix/name' }, { consistent: true })).item;
  const readObject = async (bucket: string, key: string) => objectOf(`/${bucket}/${key}`);
  const send = streams.send.bind(streams) as (command: unknown) => Promise<unknown>;
  vi.spyOn(streams, 'send').mockImplementation(async (command: { input: object }) => {
    // The embedded engine has one shard, whatever it is asked for.
    const refused = GONE.find(([shard]) => 'ShardId' in command.input && command.input.ShardId === shard);
    if (refused !== undefined) throw Object.assign(new Error('refused'), { name: refused[1], $fault: 'client' });
    return send(command);
  });
  const sources = { streams, readObject, buckets: ['failed'] };
  const run = () => redriveQueue(server.queueUrl, sources, { graph, store, openQueue });
  return { ...table, message, range, nameOf, sources, run, Records };
}

const user = (name: Item[string]): Item => ({ source: { S: 'USER-1' }, target: { S: 'USER-1' }, name });

/** The same table with a user in quarantine. */
async function quarantined() {
  const table = await failedTable();
  await table.store.put(user({ N: '1' }));
  await table.projectAll();
  return table;
}

function objectOf(path: string): string {
  const text = server.objects.get(path);
  if (text === undefined) throw new Error(`there is no object ${path}`);
  return text;
}

describe('redrive from the queue of an on-failure destination', () => {
  it('settles what its messages tell of, and deletes them: ranges of the stream, whole records in a bucket, topics', async () => {
    const { message, range, nameOf, run, Records, streamArn } = await failedTable();
    const payload = JSON.stringify({ Records: [{ ...Records[2], eventSourceARN: streamArn }] });
    server.objects.set(
      '/failed/of today/1.json',
      JSON.stringify({ version: '1.0', DDBStreamBatchInfo: range(2, 2), payload }),
    );
    const s3 = { bucket: { name: 'failed' }, object: { key: 'of+today/1.json' } };
    server.messages.set('bucket', JSON.stringify({ Records: [{ eventSource: 'aws:s3', s3 }] }));
    server.messages.set('topic', JSON.stringify({ Type: 'Notification', Message: message(1, 1) }));
    server.messages.set('test', JSON.stringify({ Service: 'Amazon S3', Event: 's3:TestEvent' }));
    expect(await run()).toMatchObject({ entries: 2, repaired: 2, left: 0, reasons: [] });
    expect([...server.messages.keys()]).toEqual([]);
    expect(await nameOf('USER-1')).toBeUndefined();
    expect(await nameOf('USER-2')).toMatchObject({ value: { S: 'name of USER-2' } });
    expect(await nameOf('USER-3')).toMatchObject({ value: { S: 'name of USER-3' } });
  });

  it('leaves a message that it cannot settle, says why, and goes on with the others', async () => {
    const { message, range, nameOf, run } = await failedTable();
    server.messages.set('nonsense', 'not JSON');
    for (const [shardId, name] of GONE) {
      const gone = { ...range(0, 0), shardId };
      server.messages.set(name, JSON.stringify({ version: '1.0', DDBStreamBatchInfo: gone }));
    }
    server.messages.set('good', message(0, 1));
    const result = await run();
    expect(result).toMatchObject({ repaired: 2, left: 1 + GONE.length });
    const names = GONE.map(([, name]) => name);
    expect(result.reasons).toEqual([
      expect.stringMatching(/message nonsense: The message is not JSON/),
      ...names.map((name) => expect.stringMatching(`message ${name}: .*have left the stream.*check --repair`)),
    ]);
    expect([...server.messages.keys()]).toEqual(['nonsense', ...names]);
    expect(await nameOf('USER-2')).toMatchObject({ value: { S: 'name of USER-2' } });
  });
});

describe('redriveHandler', () => {
  const logger = pino({ level: 'silent' });

  it('as the consumer of the queue settles batches, and reports the messages that have to come again', async () => {
    const { graph, store, sources, message, nameOf } = await failedTable();
    const handler = redriveHandler(graph, { store, sources, logger });
    const record = (messageId: string, body: string) => ({
      messageId,
      body,
      eventSource: 'aws:sqs',
      eventSourceARN: ARN,
    });
    const answer = await handler({ Records: [record('m1', 'nonsense'), record('m2', message(0, 1))] }, context);
    expect(answer).toMatchObject({ repaired: 2, left: 1, batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(await nameOf('USER-1')).toBeDefined();
  });

  it('on a schedule settles the quarantine', async () => {
    const { graph, store, nameOf } = await quarantined();
    const handler = redriveHandler(graph, { store, logger });
    expect(await handler({}, context)).toMatchObject({ entries: 1, repaired: 0, left: 1 });
    await store.put(user({ S: 'mended' }));
    expect(await handler({}, context)).toMatchObject({ entries: 1, repaired: 1, left: 0, batchItemFailures: [] });
    expect(await nameOf('USER-1')).toMatchObject({ value: { S: 'mended' } });
  });

  it('begins nothing more when its time is over, and says what is left', async () => {
    const { graph, store } = await quarantined();
    const handler = redriveHandler(graph, { store, logger });
    const left = [60_000];
    const late = { ...context, getRemainingTimeInMillis: () => left.shift() ?? 4_000 };
    expect(await handler({}, late)).toMatchObject({ entries: 1, repaired: 0, left: 1 });
  });

  it('gets on in a function whose timeout is below the reserve', async () => {
    const { graph, store } = await quarantined();
    await store.put(user({ S: 'mended' }));
    const short = { ...context, getRemainingTimeInMillis: () => 4_000 };
    expect(await redriveHandler(graph, { store, logger })({}, short)).toMatchObject({ entries: 1, repaired: 1 });
  });
});

describe('an entry that was written again while it was settled', () => {
  it('stays', async () => {
    const { graph, store } = await quarantined();
    await store.put(user({ S: 'mended' }));
    const meddling = new HookedStore(store, async ({ method, keys }) => {
      if (method !== 'update' || !keys[0]!.includes(' ~quarantine/')) return;
      const [source = '', target = ''] = keys[0]!.split(/ (.*)/s);
      const { item } = await store.get({ source, target }, { consistent: true });
      await store.put({ ...item, r: { N: '9' } });
    });
    expect(await redrive(graph, { store: meddling })).toMatchObject({ entries: 1, repaired: 0, left: 1 });
    expect(await redrive(graph, { store })).toMatchObject({ entries: 1, repaired: 1, left: 0 });
  });
});

describe('calls of a queue', () => {
  it('are repeated where SQS is throttled, three times in all', async () => {
    const { graph, store, sources } = await failedTable();
    let calls = 0;
    const throttled = (fails: number) => async () => async () => {
      calls += 1;
      if (calls <= fails) throw new StoreError('retryable', 'ThrottlingException', 'Slow down.');
      return {};
    };
    const runWith = (fails: number) =>
      redriveQueue(server.queueUrl, sources, { graph, store, openQueue: throttled(fails) });
    expect(await runWith(2)).toMatchObject({ entries: 0, left: 0 });
    expect(calls).toBe(3);
    calls = 0;
    await expect(runWith(3)).rejects.toMatchObject({ code: 'ThrottlingException' });
    expect(calls).toBe(3);
  });

  it('send a message to the queue of an ARN', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL', server.endpoint);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'any');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'any');
    await sendToQueue(ARN, 'the rest');
    vi.unstubAllEnvs();
    const url = 'https://sqs.eu-central-1.amazonaws.com/123456789012/failed-batches';
    expect([...server.messages]).toEqual([[url, 'the rest']]);
  });
});
