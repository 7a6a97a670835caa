import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';

/**
 * A producer that knows nothing of Edgeloom: it puts and deletes plain items with the SDK's document client. Any client of
 * the SDK will do, `createClient`'s and `startLocal`'s too.
 */
export function createProducer(client: DynamoDBClient, tableName: string) {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return {
    /** A node is an item with its id in both keys. A put replaces it whole. */
    async putUser(id: string, name: string): Promise<void> {
      await documents.send(new PutCommand({ TableName: tableName, Item: { source: id, target: id, name } }));
    },
    /** An edge lies in its source's partition, under its type and its target. */
    async follow(follower: string, followed: string, since: string): Promise<void> {
      const Item = { source: follower, target: `FOLLOWS-${followed}`, since };
      await documents.send(new PutCommand({ TableName: tableName, Item }));
    },
    /** An edge that is not there is fine. */
    async unfollow(follower: string, followed: string): Promise<void> {
      const Key = { source: follower, target: `FOLLOWS-${followed}` };
      await documents.send(new DeleteCommand({ TableName: tableName, Key }));
    },
  };
}
