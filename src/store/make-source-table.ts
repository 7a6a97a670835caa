import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { withClassifiedErrors } from './answers.ts';

/** A table of others, by its name and its key attributes. */
interface NamedTable {
  name: string;
  keys: { partitionKey: string; sortKey?: string | undefined };
}

/**
 * Makes sure that a table of others is in an engine on this machine: creates it with keys of text and a stream with both images where it is
 * absent. Gives the ARN of its stream; undefined: it is there, and has none.
 */
export async function makeSourceTable(
  client: DynamoDBClient,
  { name: table, keys }: NamedTable,
): Promise<string | undefined> {
  const names = [keys.partitionKey, ...(keys.sortKey === undefined ? [] : [keys.sortKey])];
  const found = await describeSourceTable(client, table);
  if (found !== undefined) return found.LatestStreamArn;
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

/** The description of a table of others; undefined: there is none. */
export async function describeSourceTable(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
