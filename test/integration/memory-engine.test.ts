import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngine } from '../../packages/local/engine/engine.ts';
import { type Local, startLocal } from '../../packages/local/local.ts';
import { check } from '../../src/admin.ts';
import { createReader, createWriter } from '../../src/index.ts';
import { createStreamsClient } from '../../src/store/client.ts';
import { describeTable } from '../../src/store/table-description.ts';
import { goalGraph } from '../support/contracts-model.ts';

const graph = goalGraph('memory-engine');
let local: Local;

beforeAll(async () => {
  local = await startLocal(graph, { engine: 'memory' });
});
afterAll(() => local.stop());

describe('the engine in memory', () => {
  it('projects what is written, and a check finds no drift', async () => {
    expect(local.engine).toBe('memory');
    const { store } = local;
    const writer = createWriter(graph, { store });
    await writer.putNode('GOAL-1', { title: 'One' });
    await writer.putNode('USER-1', { name: 'Ann' });
    await writer.putEdge('GOAL-1', 'GOALMEMBERSHIP', 'USER-1', { memberRole: 'LEAD' });
    await local.worker.idle();
    const reader = createReader(graph, { store });
    const [goal] = await reader.getViews(['GOAL-1']);
    expect(JSON.stringify(goal?.edgeSet)).toContain('USER-1');
    const { drift, baseItems } = await check(graph, { store, graceMs: 0 });
    expect({ drift, baseItems }).toEqual({ drift: { missing: 0, stale: 0, orphan: 0 }, baseItems: 3 });
  });

  it('has a stream that is switched off and on, and closes the shard of the first', async () => {
    const streams = createStreamsClient({ endpoint: local.endpoint });
    try {
      const { streamArn } = await describeTable(graph, { client: local.client });
      const TableName = graph.table.name;
      await local.client.send(new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: false } }));
      expect((await describeTable(graph, { client: local.client })).lacks).not.toEqual([]);
      await local.client.send(
        new UpdateTableCommand({
          TableName,
          StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
        }),
      );
      const { streamArn: second, lacks } = await describeTable(graph, { client: local.client });
      expect(lacks).toEqual([]);
      expect(second).not.toBe(streamArn);
      const { Streams = [] } = await streams.send(new ListStreamsCommand({ TableName }));
      expect(Streams.map(({ StreamArn }) => StreamArn)).toEqual([streamArn, second]);
      const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
      const [shard] = StreamDescription?.Shards ?? [];
      expect(shard?.SequenceNumberRange?.EndingSequenceNumber).toBeDefined();
      const { ShardIterator } = await streams.send(
        new GetShardIteratorCommand({
          StreamArn: streamArn,
          ShardId: shard!.ShardId,
          ShardIteratorType: 'TRIM_HORIZON',
        }),
      );
      const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator }));
      expect(Records.length).toBeGreaterThan(3);
      expect(NextShardIterator).toBeUndefined();
    } finally {
      streams.destroy();
    }
  });

  it('keeps no data: a folder for it is refused, and so is a port that is taken', async () => {
    await expect(startEngine({ engine: 'memory', dataDir: '/tmp/none' })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    const port = Number(new URL(local.endpoint).port);
    await expect(startEngine({ engine: 'memory', port })).rejects.toMatchObject({ code: 'port-in-use' });
  });
});
