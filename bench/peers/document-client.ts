import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Write, writesOf } from './by-hand.ts';
import type { DynamoDBRecord, Handler } from './event.ts';

// Applies one record at a time with the DocumentClient.

export function applier(client: DynamoDBClient, TableName: string): (record: DynamoDBRecord) => Promise<void> {
  const documents = DynamoDBDocumentClient.from(client);
  const send = async (write: Write): Promise<void> => {
    const { key } = write;
    if (write.kind === 'put') await documents.send(new PutCommand({ TableName, Item: { ...key, ...write.item } }));
    else if (write.kind === 'remove') await documents.send(new DeleteCommand({ TableName, Key: key }));
    else {
      const isSet = write.kind === 'attributes';
      const action = isSet ? 'SET #a = :v' : `${write.kind === 'add' ? 'ADD' : 'DELETE'} #a :v`;
      await documents.send(
        new UpdateCommand({
          TableName,
          Key: key,
          UpdateExpression: action,
          ExpressionAttributeNames: { '#a': isSet ? 'attributes' : 'edgeSet' },
          ExpressionAttributeValues: { ':v': isSet ? write.attributes : new Set([write.element]) },
        }),
      );
    }
  };
  return async (record) => {
    for (const write of writesOf(record)) await send(write);
  };
}

export function plainHandler(client: DynamoDBClient, table: string): Handler {
  const apply = applier(client, table);
  return async ({ Records }) => {
    for (const record of Records) await apply(record);
  };
}
