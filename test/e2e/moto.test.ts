import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { DescribeStreamCommand, GetRecordsCommand, GetShardIteratorCommand } from '@aws-sdk/client-dynamodb-streams';
import {
  CreateBucketCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import graph from '../../edgeloom.config.ts';
import { startEngine } from '../../packages/local/engine/engine.ts';
import { answers, freePort } from '../../packages/local/engine/ports.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable } from '../../src/store/table-description.ts';
import { MAIN, ROOT } from '../support/command.ts';

/** A failed batch in a bucket that tells a queue, both of moto's server: a simulator of AWS that is not ours, in Python. */

const run = promisify(execFile);
const isInstalled = await run('moto_server', ['--help']).then(
  () => true,
  () => false,
);
const REGION = 'eu-central-1';
const SIGNED = { region: REGION, credentials: { accessKeyId: 'any', secretAccessKey: 'any' } };

// It is a package of Python, which npm does not bring.
describe.skipIf(!isInstalled)('the redrive of a failed batch', () => {
  let moto: ChildProcess;
  let simulated: string;
  let engine: Awaited<ReturnType<typeof startEngine>>;

  beforeAll(async () => {
    const port = await freePort();
    moto = spawn('moto_server', ['-p', String(port)], { stdio: 'ignore' });
    simulated = `http://127.0.0.1:${port}`;
    await vi.waitUntil(() => answers(port), { timeout: 120_000, interval: 100 });
    engine = await startEngine();
  }, 180_000);
  afterAll(async () => {
    await engine?.stop();
    const ended = once(moto, 'exit');
    moto.kill();
    await ended;
  });

  it('takes its message from a queue that a bucket told, and its records from the bucket', async () => {
    const { endpoint } = engine;
    const [client, streams] = [createClient({ endpoint }), createStreamsClient({ endpoint })];
    const { streamArn } = await createTable(graph, { client });
    const store = new DynamoDBStore(client, graph.table);
    await store.put({ source: { S: 'USER-F1' }, target: { S: 'USER-F1' }, name: { S: 'Given up' } });
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
    const [shard] = StreamDescription!.Shards!;
    const { ShardIterator } = await streams.send(
      new GetShardIteratorCommand({ StreamArn: streamArn, ShardId: shard!.ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    );
    const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }));
    const number = Records[0]!.dynamodb!.SequenceNumber!;
    const ends = { startSequenceNumber: number, endSequenceNumber: number };
    const body = JSON.stringify({
      version: '1.0',
      DDBStreamBatchInfo: { streamArn, shardId: shard!.ShardId, ...ends },
      payload: JSON.stringify({ Records: [{ ...Records[0], eventSourceARN: streamArn }] }),
    });

    const s3 = new S3Client({ ...SIGNED, endpoint: simulated, forcePathStyle: true });
    const sqs = new SQSClient({ ...SIGNED, endpoint: simulated });
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'failed' }));
    const attributes = { QueueUrl, AttributeNames: ['QueueArn' as const, 'ApproximateNumberOfMessages' as const] };
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand(attributes));
    await s3.send(
      new CreateBucketCommand({ Bucket: 'batches', CreateBucketConfiguration: { LocationConstraint: REGION } }),
    );
    await s3.send(
      new PutBucketNotificationConfigurationCommand({
        Bucket: 'batches',
        NotificationConfiguration: {
          QueueConfigurations: [{ QueueArn: Attributes!['QueueArn']!, Events: ['s3:ObjectCreated:*'] }],
        },
      }),
    );
    await s3.send(new PutObjectCommand({ Bucket: 'batches', Key: 'aws/lambda/of today=1.json', Body: body }));

    const args = [
      'redrive',
      '--from-failure',
      QueueUrl!,
      '--bucket',
      'batches',
      '--json',
      '--endpoint',
      engine.endpoint,
    ];
    const env = {
      ...process.env,
      ...{ AWS_ENDPOINT_URL_S3: simulated, AWS_ENDPOINT_URL_SQS: simulated, AWS_REGION: REGION },
      ...{ AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any' },
    };
    const { stdout } = await run(process.execPath, [MAIN, ...args], { cwd: ROOT, env });
    expect(JSON.parse(stdout)).toMatchObject({ entries: 1, repaired: 1, left: 0, reasons: [] });
    const view = await store.get({ source: 'USER-F1', target: '~view' }, { consistent: true });
    expect(view.item).toMatchObject({ attributes: { M: { name: { S: 'Given up' } } } });
    expect((await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages ?? []).toEqual([]);
    for (const one of [client, streams, s3, sqs]) one.destroy();
  });
});
