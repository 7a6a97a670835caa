import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { type CompiledModel, indexKeysOf } from '../../core/model/compiled.ts';

/** The CreateTable input of a model: keys, the indexes that it needs, on-demand, a stream with both images. */
export function tableDefinition(graph: CompiledModel): CreateTableCommandInput {
  const { name, partitionKey, sortKey, indexNames } = graph.table;
  const keys = graph.indexes.map((index) => ({ name: indexNames[index], ...indexKeysOf(graph.table)[index] }));
  const attributes = [partitionKey, sortKey, ...keys.flatMap(({ partition, sort }) => [partition, sort])];
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes.map((attribute) => ({ AttributeName: attribute, AttributeType: 'S' })),
    KeySchema: keySchema(partitionKey, sortKey),
    GlobalSecondaryIndexes: keys.map(({ name: index, partition, sort }) => ({
      IndexName: index,
      KeySchema: keySchema(partition, sort),
      // The model decides what an index item holds; the index holds it all.
      Projection: { ProjectionType: 'ALL' },
    })),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  };
}

/** The key schema of two text keys. */
export function keySchema(partition: string, sort: string): NonNullable<CreateTableCommandInput['KeySchema']> {
  return [
    { AttributeName: partition, KeyType: 'HASH' },
    { AttributeName: sort, KeyType: 'RANGE' },
  ];
}
