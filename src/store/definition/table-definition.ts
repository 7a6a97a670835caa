import type { CreateTableCommandInput, Projection } from '@aws-sdk/client-dynamodb';
import { attributesInIndex, valueIn } from '../../core/items/derived-item.ts';
import { type CompiledModel, type IndexName, indexKeysOf } from '../../core/model/compiled.ts';

/** The CreateTable input of a model: keys, the indexes that it needs, on-demand, a stream with both images. */
export function tableDefinition(graph: CompiledModel): CreateTableCommandInput {
  const { name, partitionKey, sortKey, indexNames } = graph.table;
  const keys = graph.indexes.map((index) => ({
    index,
    name: indexNames[index],
    ...indexKeysOf(graph.table)[index],
  }));
  const attributes = [partitionKey, sortKey, ...keys.flatMap(({ partition, sort }) => [partition, sort])];
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes.map((attribute) => ({ AttributeName: attribute, AttributeType: 'S' })),
    KeySchema: keySchema(partitionKey, sortKey),
    GlobalSecondaryIndexes: keys.map(({ index, name: IndexName, partition, sort }) => ({
      IndexName,
      KeySchema: keySchema(partition, sort),
      Projection: indexProjection(index),
    })),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  };
}

/** The projection of an index: attributes that readers need, and no bookkeeping, whose changes would be billed again in each index. */
export function indexProjection(index: IndexName): Required<Projection> {
  return { ProjectionType: 'INCLUDE', NonKeyAttributes: [...attributesInIndex(index)] };
}

/**
 * The attributes that readers of a model need and that an index with this projection does not hold; none where it holds all attributes. An
 * index needs a value only for a search.
 */
export function lackingAttributes(
  graph: CompiledModel,
  index: IndexName,
  projection: Projection | undefined,
): string[] {
  if (projection?.ProjectionType === 'ALL') return [];
  const isSearched =
    index === 'gsi0' ||
    [...graph.nodes.values()].some(({ searches }) => [...searches.values()].some((one) => one.index === index));
  return attributesInIndex(index)
    .filter((name) => isSearched || name !== valueIn(index))
    .filter((name) => projection?.NonKeyAttributes?.includes(name) !== true);
}

/** The key schema of two text keys. */
export function keySchema(partition: string, sort: string): NonNullable<CreateTableCommandInput['KeySchema']> {
  return [
    { AttributeName: partition, KeyType: 'HASH' },
    { AttributeName: sort, KeyType: 'RANGE' },
  ];
}
