import type { GlobalSecondaryIndex, Projection, TableDescription } from '@aws-sdk/client-dynamodb';
import { type CompiledModel, type IndexName, indexKeysOf } from '../../core/model/compiled.ts';
import { nativeIndexes } from '../../core/model/native-indexes.ts';
import { type IndexDefinition, indexDefinition, lackingAttributes, nativeIndexDefinition } from './table-definition.ts';

/** An index that the model needs, either of derived items or native (of base items). */
export interface IndexNeed {
  name: string;
  /** Undefined for a native index. */
  index?: IndexName;
  partition: string;
  sort: string;
  /**
   * The text that names the attributes of a native index in messages. Empty for an index of derived items or of keys
   * only.
   */
  held: string;
  definition: Required<IndexDefinition>;
  lackingIn(projection: Projection | undefined): string;
}

/** `differs`: the table's index of this name has other keys or lacks attributes. */
export type IndexState = 'absent' | 'filling' | 'differs' | 'fits';

export function indexNeeds(graph: CompiledModel): IndexNeed[] {
  const derived = graph.indexes.map((index): IndexNeed => {
    return {
      ...{ name: graph.table.indexNames[index], index, ...indexKeysOf(graph.table)[index], held: '' },
      definition: indexDefinition(graph, index),
      lackingIn: (projection) => listed(lackingAttributes(graph, index, projection)),
    };
  });
  const native = nativeIndexes(graph).map((need): IndexNeed => {
    const { name, partition, sort, attributes } = need;
    const held =
      attributes?.length === 0 ? '' : ` and ${attributes === undefined ? 'all attributes' : listed(attributes)}`;
    return {
      ...{ name, partition, sort, held },
      definition: nativeIndexDefinition(need),
      lackingIn: (projection) => {
        if (projection?.ProjectionType === 'ALL') return '';
        if (attributes === undefined) return 'some of them';
        return listed(attributes.filter((one) => projection?.NonKeyAttributes?.includes(one) !== true));
      },
    };
  });
  return [...derived, ...native];
}

function listed(attributes: readonly string[]): string {
  return attributes.length === 0 ? '' : `the attributes ${attributes.join(', ')}`;
}

export function stateOfIndex(need: IndexNeed, table: TableDescription): IndexState {
  const found = indexNamed(need.name, table);
  if (found === undefined || found.IndexStatus === 'DELETING') return 'absent';
  if (!hasKeys(found.KeySchema, need.partition, need.sort)) return 'differs';
  if (need.lackingIn(found.Projection) !== '') return 'differs';
  return found.IndexStatus === 'CREATING' ? 'filling' : 'fits';
}

export function indexNamed(name: string, { GlobalSecondaryIndexes = [] }: TableDescription) {
  return GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === name);
}

export function hasKeys(schema: GlobalSecondaryIndex['KeySchema'], partition: string, sort: string): boolean {
  const attributeOfKeyType = (type: string): string | undefined =>
    schema?.find(({ KeyType }) => KeyType === type)?.AttributeName;
  return attributeOfKeyType('HASH') === partition && attributeOfKeyType('RANGE') === sort;
}
