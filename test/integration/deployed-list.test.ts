import { DeleteItemCommand, DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import graph from '../../edgeloom.config.ts';
import { startLocal } from '../../packages/local/local.ts';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import { uniqueTableName } from '../support/table.ts';

/**
 * A producer and a reader that know nothing but the plain SDK, against whatever projects the table: on LocalStack the deployed functions, whose table
 * EDGELOOM_DEPLOYED_TABLE names; elsewhere the local worker.
 */

const DEPLOYED = process.env['EDGELOOM_DEPLOYED_TABLE'];
/** A function of LocalStack starts in a container of its own. */
const MOST_MS = DEPLOYED === undefined ? 20_000 : 120_000;

/** Runs something against a table that somebody projects. */
async function withProjectedTable(run: (client: DynamoDBClient, table: string) => Promise<void>): Promise<void> {
  const own = withTableName(graph, uniqueTableName());
  const local = DEPLOYED === undefined ? await startLocal(own) : undefined;
  const client = new DynamoDBClient({
    region: 'eu-central-1',
    endpoint: local?.endpoint ?? process.env['EDGELOOM_TEST_ENDPOINT']!,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  try {
    await run(client, DEPLOYED ?? own.table.name);
  } finally {
    client.destroy();
    await local?.stop();
  }
}

it(
  'an edge that the plain SDK puts is in the list that the functions make, and leaves it when it is deleted',
  async () => {
    await withProjectedTable(async (client, TableName) => {
      const id = `${Date.now()}`;
      const Key = { source: { S: `GOAL-${id}` }, target: { S: `GOALMEMBERSHIP-USER-${id}` } };
      const listed = async () => {
        const { Items = [] } = await client.send(
          new QueryCommand({
            ...{ TableName, IndexName: 'gsi0', KeyConditionExpression: 'gsi0pk = :partition' },
            ExpressionAttributeValues: { ':partition': Key.target },
          }),
        );
        return Items.map(({ source }) => source!.S);
      };
      const poll = { timeout: MOST_MS, interval: 200 };
      const Item = { ...Key, memberRole: { S: 'LEAD' }, date: { S: '2026-03-01' }, priority: { N: '1' } };
      await client.send(new PutItemCommand({ TableName, Item }));
      await expect.poll(listed, poll).toEqual([`GOAL-${id}`]);
      await client.send(new DeleteItemCommand({ TableName, Key }));
      await expect.poll(listed, poll).toEqual([]);
    });
  },
  2 * MOST_MS + 10_000,
);
