import type { CreateTableCommandInput, GlobalSecondaryIndex, Projection } from '@aws-sdk/client-dynamodb';
import { attributesInIndex, valueIn } from '../../core/items/derived-item.ts';
import { type CompiledModel, type IndexName, indexKeysOf } from '../../core/model/compiled.ts';
import { type NativeIndexNeed, type NativeType, nativeIndexes } from '../../core/model/native.ts';

/** The CreateTable input of a model: keys, the indexes that it needs, on-demand, a stream with both images. */
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

/** An index of derived items as CreateTable and UpdateTable take it. */
export function indexDefinition({ table }: CompiledModel, index: IndexName): Required<IndexDefinition> {
  const { partition, sort } = indexKeysOf(table)[index];
  return {
    IndexName: table.indexNames[index],
    KeySchema: keySchema(partition, sort),
    Projection: indexProjection(index),
  };
}

/** A native index as CreateTable and UpdateTable take it. */
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

/** An index as CreateTable and UpdateTable take it. */
export type IndexDefinition = Pick<GlobalSecondaryIndex, 'IndexName' | 'KeySchema' | 'Projection'>;

/** The attributes that readers of a native order or search need and that an index with this projection does not hold. */
export function lackingInNative({ attributes }: NativeIndexNeed, projection: Projection | undefined): string[] {
  if (projection?.ProjectionType === 'ALL') return [];
  if (attributes === undefined) return ['all'];
  return attributes.filter((name) => projection?.NonKeyAttributes?.includes(name) !== true);
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
