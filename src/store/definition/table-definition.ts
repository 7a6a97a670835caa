import type { CreateTableCommandInput, GlobalSecondaryIndex, Projection } from '@aws-sdk/client-dynamodb';
import { attributesInIndex, valueIn } from '../../core/items/derived-item.ts';
import { type CompiledModel, type IndexName, indexKeysOf } from '../../core/model/compiled.ts';
import { type NativeIndexNeed, type NativeType, nativeIndexes } from '../../core/model/native-indexes.ts';

/** Returns the CreateTable input for a model, with both images in the stream. */
export function tableDefinition(graph: CompiledModel): CreateTableCommandInput {
  const { name, partitionKey, sortKey } = graph.table;
  const keys = graph.indexes.flatMap((index) => Object.values(indexKeysOf(graph.table)[index]));
  const attributes = [partitionKey, sortKey, ...keys];
  const native = nativeIndexes(graph);
  const types = new Map<string, NativeType>(attributes.map((attribute) => [attribute, 'S']));
  for (const { attribute, type } of native) types.set(attribute, type);
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    KeySchema: keySchema(partitionKey, sortKey),
    GlobalSecondaryIndexes: [
      ...graph.indexes.map((index) => indexDefinition(graph, index)),
      ...native.map(nativeIndexDefinition),
    ],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  };
}

export function indexDefinition({ table }: CompiledModel, index: IndexName): Required<IndexDefinition> {
  const { partition, sort } = indexKeysOf(table)[index];
  return {
    IndexName: table.indexNames[index],
    KeySchema: keySchema(partition, sort),
    Projection: indexProjection(index),
  };
}

export function nativeIndexDefinition({
  name,
  partition,
  sort,
  attributes,
}: NativeIndexNeed): Required<IndexDefinition> {
  const isOfKeys = attributes?.length === 0;
  return {
    IndexName: name,
    KeySchema: keySchema(partition, sort),
    Projection:
      attributes === undefined || isOfKeys
        ? { ProjectionType: isOfKeys ? 'KEYS_ONLY' : 'ALL' }
        : { ProjectionType: 'INCLUDE', NonKeyAttributes: [...attributes] },
  };
}

export type IndexDefinition = Pick<GlobalSecondaryIndex, 'IndexName' | 'KeySchema' | 'Projection'>;

/** Leaves out bookkeeping attributes, because DynamoDB would bill their changes in each index. */
export function indexProjection(index: IndexName): Required<Projection> {
  return { ProjectionType: 'INCLUDE', NonKeyAttributes: [...attributesInIndex(index)] };
}

/** Except in `gsi0`, only searches need the value attribute. */
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

export function keySchema(partition: string, sort: string): NonNullable<CreateTableCommandInput['KeySchema']> {
  return [
    { AttributeName: partition, KeyType: 'HASH' },
    { AttributeName: sort, KeyType: 'RANGE' },
  ];
}
