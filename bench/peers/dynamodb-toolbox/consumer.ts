import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { writesOf } from '../by-hand.ts';
import type { Handler } from '../event.ts';
import type { Toolbox } from './library.ts';

// Like `document-client.ts`, but with dynamodb-toolbox.

export function toolboxHandler(toolbox: Toolbox, client: DynamoDBClient, name: string): Handler {
  const { $add, $delete, any, DeleteItemCommand, Entity, item } = toolbox;
  const { map, PutItemCommand, set, string, Table, UpdateItemCommand } = toolbox;
  const keys = { source: string().key(), target: string().key() };
  const table = new Table({
    documentClient: DynamoDBDocumentClient.from(client),
    name,
    partitionKey: { name: 'source', type: 'string' },
    sortKey: { name: 'target', type: 'string' },
    entityAttributeSavedAs: '_et',
  });
  const options = { table, entityAttribute: false, timestamps: false } as const;
  const view = new Entity({
    name: 'VIEW',
    schema: item({ ...keys, edgeSet: set(string()).optional(), attributes: any().optional() }),
    ...options,
  });
  const text = () => string().optional();
  const indexItem = new Entity({
    name: 'INDEX_ITEM',
    schema: item({
      ...keys,
      ...{ gsi0pk: text(), gsi0sk: text(), gsi1pk: text(), gsi1sk: text(), value: text() },
      attributes: map({ memberRole: text(), date: text() }).optional(),
    }),
    ...options,
  });
  return async ({ Records }) => {
    for (const record of Records) {
      for (const write of writesOf(record)) {
        const { key } = write;
        if (write.kind === 'put')
          await indexItem
            .build(PutItemCommand)
            .item({ ...key, ...write.item })
            .send();
        else if (write.kind === 'remove') await indexItem.build(DeleteItemCommand).key(key).send();
        else {
          const change =
            write.kind === 'attributes'
              ? { attributes: write.attributes }
              : { edgeSet: (write.kind === 'add' ? $add : $delete)(new Set([write.element])) };
          await view
            .build(UpdateItemCommand)
            .item({ ...key, ...change })
            .send();
        }
      }
    }
  };
}
