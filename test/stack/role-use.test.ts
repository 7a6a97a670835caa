import { DescribeStreamCommand, GetRecordsCommand, GetShardIteratorCommand } from '@aws-sdk/client-dynamodb-streams';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadModel } from '../../src/cli/session/load-model.ts';
import { streamLabel, watermarkOf } from '../../src/items/watermark.ts';
import { roleResources } from '../../src/stack/roles.ts';
import { startThrottlingProxy } from '../contract/proxy.ts';
import { checkedTable } from '../support/checked-table.ts';
import { loadFunction } from '../support/stack/functions.ts';
import { PARAMETERS } from '../support/stack/parameters.ts';
import { rawTemplate, roleStatements, type Template, template } from '../support/stack/template.ts';

/** What the packaged functions really call, against what their roles allow: neither may have more than the other. */

const config = await loadModel('edgeloom.config.ts');
const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 60_000 };

/** Actions on the table and its indexes that a role allows, without the stream's. */
function tableActions(role: string, raw?: Template): string[] {
  const actions = roleStatements(template(raw).Resources[role]!)
    .filter(({ Resource }) => [Resource].flat().some((arn) => /:table\/[^/]+(\/index\/.*)?$/.test(arn)))
    .flatMap(({ Action }) => Action);
  return [...new Set(actions.map((action) => action.replace('dynamodb:', '')))].sort();
}

/** A table behind something that notes every operation. */
async function watchedTable() {
  const table = await checkedTable(2);
  const operations = new Set<string>();
  const proxy = await startThrottlingProxy(
    table.endpoint,
    (entries) => entries,
    (operation) => {
      operations.add(operation);
      return false;
    },
  );
  const environment = {
    EDGELOOM_TABLE: table.graph.table.name,
    AWS_ENDPOINT_URL: proxy.endpoint,
    EDGELOOM_SETTLE_SECONDS: '0.01',
  };
  /** The stream's records so far, as the function gets them. */
  async function records(): Promise<Record<string, unknown>[]> {
    const { StreamDescription } = await table.streams.send(new DescribeStreamCommand({ StreamArn: table.streamArn }));
    const { ShardId } = StreamDescription!.Shards![0]!;
    const { ShardIterator } = await table.streams.send(
      new GetShardIteratorCommand({ StreamArn: table.streamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    );
    const { Records = [] } = await table.streams.send(new GetRecordsCommand({ ShardIterator, Limit: 1000 }));
    return Records.map((record) => ({ ...record, eventSourceARN: table.streamArn }));
  }
  return { ...table, ...proxy, environment, operations, records, used: () => [...operations].sort() };
}

beforeEach(() => {
  // Logs and metrics go to stdout as they do in Lambda.
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(() => vi.restoreAllMocks());

/** A base item that cannot be projected in full: this is no date. */
const BAD_GOAL = { source: { S: 'GOAL-G9' }, target: { S: 'GOAL-G9' }, dueDate: { S: 'someday' } };

describe('what the function calls is what its role allows:', () => {
  it('stream, with records in order, out of order, and such as go into quarantine', async () => {
    const { environment, store, writer, records, used, stop } = await watchedTable();
    const handler = await loadFunction('stream', environment);
    await store.put(BAD_GOAL);
    await writer.deleteEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1');
    await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U9', { memberRole: 'LEAD', date: '2026-07-02' });
    const first = await records();
    expect(await handler({ Records: first }, context)).toEqual({ batchItemFailures: [] });
    await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD', date: '2026-07-03' });
    const all = await records();
    await handler({ Records: all.slice(first.length) }, context);
    // Older than what is projected, and at odds with it: the base items decide.
    for (const record of first) await handler({ Records: [record] }, context);
    expect(used()).toEqual(tableActions('StreamRole'));
    await stop();
  });

  it('check, without repair', async () => {
    const { environment, corrupt, used, stop } = await watchedTable();
    await corrupt('GOAL-G1', '~view', ({ edgeSet: _, ...item }) => item);
    await corrupt('GOAL-G2', '~ix/GOALMEMBERSHIP-USER-U1', ({ gsi0sk: _, ...item }) => item);
    const handler = await loadFunction('check', environment);
    expect(await handler({}, context)).toMatchObject({ isClean: false, cursor: null });
    expect(used()).toEqual(tableActions('CheckRole'));
    await stop();
  });

  it('check, with repair', async () => {
    const { environment, store, streamArn, corrupt, used, stop } = await watchedTable();
    await corrupt('GOAL-G1', '~view', ({ edgeSet: _, ...item }) => item);
    // A tombstone whose time is over.
    const key = { source: { S: 'GOAL-G1' }, target: { S: '~ix/GOALMEMBERSHIP-USER-U8' } };
    await store.put({
      ...key,
      w: { S: watermarkOf(streamLabel(streamArn), '1') },
      r: { N: '1' },
      expiresAt: { N: '1' },
    });
    const handler = await loadFunction('check', environment);
    expect(await handler({ repair: true }, context)).toMatchObject({ isClean: true, repaired: 1, tidied: 1 });
    const raw = rawTemplate();
    const { CheckRole } = roleResources(config, 'edgeloom-prod', { ...PARAMETERS, checkRepair: true });
    raw.Resources['CheckRole'] = CheckRole as Template['Resources'][string];
    expect(used()).toEqual(tableActions('CheckRole', raw));
    await stop();
  });

  it('redrive of the quarantine, and of a failed batch with a record that goes into it', async () => {
    const { environment, store, writer, streamArn, records, operations, used, stop } = await watchedTable();
    await store.put(BAD_GOAL);
    const stream = await loadFunction('stream', environment);
    await stream({ Records: (await records()).slice(-1) }, context);
    operations.clear();
    await writer.putNode('GOAL-G9', { title: 'Mended', dueDate: '2026-10-01' });
    const handler = await loadFunction('redrive', environment);
    expect(await handler({}, context)).toMatchObject({ repaired: 1, left: 0 });
    await store.put(BAD_GOAL);
    const failed = (await records()).slice(-1) as { dynamodb: { SequenceNumber: string } }[];
    const { SequenceNumber } = failed[0]!.dynamodb;
    const range = {
      streamArn,
      shardId: 'shard',
      startSequenceNumber: SequenceNumber,
      endSequenceNumber: SequenceNumber,
    };
    const body = JSON.stringify({ DDBStreamBatchInfo: range, payload: JSON.stringify({ Records: failed }) });
    const message = { messageId: 'm', body, eventSource: 'aws:sqs' };
    expect(await handler({ Records: [message] }, context)).toMatchObject({ quarantined: 1, left: 0 });
    expect(used()).toEqual(tableActions('RedriveRole'));
    await stop();
  });
});
