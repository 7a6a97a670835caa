import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { startLocal } from '../../packages/local/local.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { createClient } from '../../src/store/client.ts';
import { createProducer } from '../support/document-producer.ts';
import { followGraph } from '../support/follow-graph.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

describe("the SDK's document client on a client of ours", () => {
  it('puts and deletes what a producer tells it, each call with its own input, beside reads of ours', async () => {
    const graph = followGraph(uniqueTableName());
    const { client, store, projectAll } = await testTable(graph);
    const producer = createProducer(client, graph.table.name);
    await producer.putUser('USER-1', 'Ada');
    await producer.putUser('USER-2', 'Grace');
    await producer.follow('USER-1', 'USER-2', '2026-01-01');
    await producer.follow('USER-1', 'USER-3', '2026-01-02');
    await producer.unfollow('USER-1', 'USER-3');
    await projectAll();
    const reader = createReader(graph, { store });
    const nodes = await reader.getViews(['USER-1', 'USER-2']);
    expect(nodes.map((node) => node?.attributes)).toMatchObject([{ name: 'Ada' }, { name: 'Grace' }]);
    expect(nodes[0]?.edgeSet.map(({ target }) => target)).toEqual(['USER-2']);
    const documents = DynamoDBDocumentClient.from(client);
    for (const [id, name] of [
      ['USER-1', 'Ada'],
      ['USER-2', 'Grace'],
    ] as const) {
      const Key = { source: id, target: id };
      const { Item } = await documents.send(new GetCommand({ TableName: graph.table.name, Key }));
      expect(Item).toEqual({ ...Key, name });
    }
  });

  it('takes the client of startLocal, and one that createClient makes', async () => {
    const graph = followGraph(uniqueTableName());
    const local = await startLocal(graph, {});
    const own = createClient({ endpoint: local.endpoint });
    try {
      await createProducer(local.client, graph.table.name).putUser('USER-1', 'Ada');
      await createProducer(own, graph.table.name).putUser('USER-2', 'Grace');
      await local.worker.idle();
      const nodes = await createReader(graph, { store: local.store }).getViews(['USER-1', 'USER-2'], {
        consistent: true,
      });
      expect(nodes.map((node) => node?.attributes)).toMatchObject([{ name: 'Ada' }, { name: 'Grace' }]);
    } finally {
      own.destroy();
      await local.stop();
    }
  });
});
