import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { EdgeloomError } from '../foundation/errors.ts';
import { withClassifiedErrors } from './answers.ts';

export async function findTable(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  return await withClassifiedErrors(async () => {
    try {
      return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  });
}

export async function requireTable(
  client: DynamoDBClient,
  name: string,
  remedy = 'Create it with edgeloom table create, or name another with --table.',
): Promise<TableDescription> {
  const table = await findTable(client, name);
  if (table === undefined) throw new EdgeloomError('no-table', `There is no table ${name}.`, remedy);
  return table;
}

export async function ttlOf(client: DynamoDBClient, name: string): Promise<string | undefined> {
  const command = new DescribeTimeToLiveCommand({ TableName: name });
  const { TimeToLiveDescription: ttl } = await withClassifiedErrors(() => client.send(command));
  const isOn = ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING';
  return isOn ? ttl?.AttributeName : undefined;
}

/** `LatestStreamArn` stays after the stream is disabled. */
export function streamArnOf({ StreamSpecification, LatestStreamArn }: TableDescription): string | undefined {
  return StreamSpecification?.StreamEnabled === true ? LatestStreamArn : undefined;
}
