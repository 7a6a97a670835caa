import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { withClassifiedErrors } from './answers.ts';
import { findTable, streamArnOf } from './described-table.ts';

interface NamedTable {
  name: string;
  keys: { partitionKey: string; sortKey?: string | undefined };
}

/** Returns the ARN of the stream, if the table has one. */
export async function makeSourceTable(
  client: DynamoDBClient,
  { name: table, keys }: NamedTable,
): Promise<string | undefined> {
  const names = [keys.partitionKey, ...(keys.sortKey === undefined ? [] : [keys.sortKey])];
  const found = await findTable(client, table);
  if (found !== undefined) return streamArnOf(found);
  const command = new CreateTableCommand({
    TableName: table,
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: names.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  const { TableDescription } = await withClassifiedErrors(() => client.send(command));
  return TableDescription?.LatestStreamArn;
}
