import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import { deployedCheck, deployedRedrive } from '../../src/deployment/lambda/deployed.ts';
import { modelNotice } from '../../src/registry/notice.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable } from '../../src/store/table-description.ts';
import type { RunPlan } from '../../src/trust/check/run/plan.ts';
import { checkedTable } from '../support/checked-table.ts';

/** The stack's functions as the stack sets them up: they get nothing but their environment, and load clients when they need them. */

const CONTEXT = { awsRequestId: '1', getRemainingTimeInMillis: () => 900_000 };

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

async function deployedTable() {
  const table = await checkedTable();
  vi.stubEnv('EDGELOOM_TABLE', table.graph.table.name);
  vi.stubEnv('EDGELOOM_STREAM_ARN', table.streamArn);
  vi.stubEnv('EDGELOOM_GRACE_SECONDS', '0.01');
  vi.stubEnv('AWS_ENDPOINT_URL', table.endpoint);
  // DynamoDB Local keeps tables by region and key: these are those of our clients.
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  return table;
}

it('the check function plans a run by the size of the table, finds what differs, and migrates', async () => {
  const { graph, corrupt } = await deployedTable();
  await corrupt('GOAL-G1', '~view', ({ edgeSet: _, ...item }) => item);
  const handler = deployedCheck(graph);
  const plan = { mode: 'check', repair: false, hours: 1, workers: 1, maxRcu: 0, maxWcu: 100 } as const;
  const { shares } = (await handler({ plan }, CONTEXT)) as RunPlan;
  expect(shares).toHaveLength(1);
  let cursor: unknown;
  let answer: unknown;
  do {
    answer = await handler({ ...shares[0]!, cursor }, CONTEXT);
    cursor = JSON.parse(JSON.stringify((answer as { cursor: unknown }).cursor));
    await new Promise((resolve) => setTimeout(resolve, 20));
  } while (cursor !== null);
  expect(answer).toMatchObject({ drift: { stale: 1, missing: 0, orphan: 0 }, isClean: false });
  expect(await handler({ migrate: { workers: 0, maxRcu: 0, maxWcu: 100 } }, CONTEXT)).toMatchObject({
    next: expect.any(String),
  });
});

it('the redrive function reads the stream for what is unclaimed, and for a batch that a message names', async () => {
  const { graph, streamArn, allRecords } = await deployedTable();
  const handler = deployedRedrive(graph);
  // What is there was made a moment ago: it is left to its consumer.
  expect(await handler({}, CONTEXT)).toMatchObject({ swept: 0, left: 0, batchItemFailures: [] });
  const [first] = await allRecords();
  const { DescribeStreamCommand } = await import('@aws-sdk/client-dynamodb-streams');
  const { createStreamsClient } = await import('../../src/store/client.ts');
  const streams = createStreamsClient({ endpoint: process.env['AWS_ENDPOINT_URL'] });
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const range = { startSequenceNumber: first!.sequenceNumber, endSequenceNumber: first!.sequenceNumber };
  const body = { DDBStreamBatchInfo: { streamArn, shardId: StreamDescription!.Shards![0]!.ShardId, ...range } };
  const Records = [{ messageId: 'm', body: JSON.stringify(body), eventSource: 'aws:sqs' }];
  expect(await handler({ Records }, CONTEXT)).toMatchObject({ entries: 1, repaired: 1, batchItemFailures: [] });
});

it('the redrive function registers the empty table of a new deployment, and sees that a stream was switched off and on', async () => {
  const { endpoint, graph } = await deployedTable();
  const name = `${graph.table.name}-new`;
  const client = createClient({ endpoint });
  onTestFinished(() => client.destroy());
  const own = withTableName(graph, name);
  const { streamArn } = await createTable(own, { client });
  vi.stubEnv('EDGELOOM_TABLE', name);
  const watchAs = async (readArn: string): Promise<string> => {
    vi.stubEnv('EDGELOOM_STREAM_ARN', readArn);
    const write = vi.mocked(process.stdout.write);
    write.mockClear();
    await deployedRedrive(graph)({ watch: true }, CONTEXT);
    return write.mock.calls.map(([text]) => String(text)).join('');
  };
  expect(await watchAs(streamArn!)).toMatch(/"Unmanaged":0[\s\S]*"StreamReplaced":0/);
  expect(await modelNotice(own, new DynamoDBStore(client, own.table))).toEqual({ isManaged: true, changes: [] });
  const before = streamArn!.replace(/stream\/.*/, 'stream/2020-01-01T00:00:00.000');
  const printed = await watchAs(before);
  expect(printed).toContain('"StreamReplaced":1');
  expect(printed).toContain(`"has":"${streamArn}"`);
});
