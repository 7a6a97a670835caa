import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { type CompiledModel, indexKeysOf } from '../core/model/compiled.ts';
import { type NativeType, nativeIndexes } from '../core/model/native-indexes.ts';
import type { Store } from '../core/store-port.ts';
import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';

export interface OtherKeyType {
  attribute: string;
  /** Undefined for a key of the table. */
  index?: string;
  type: string;
  needed: NativeType;
  /** True for native indexes, whose key attributes derived items don't have. */
  isNative?: boolean;
}

/** A key may have another type because other software already indexes the attribute. */
export function otherKeyTypes(
  graph: CompiledModel,
  { AttributeDefinitions = [] }: Pick<TableDescription, 'AttributeDefinitions'>,
): OtherKeyType[] {
  const types = new Map(AttributeDefinitions.map((one) => [one.AttributeName, one.AttributeType]));
  const { partitionKey, sortKey, indexNames } = graph.table;
  const keys: Omit<OtherKeyType, 'type' | 'needed'>[] = [
    { attribute: partitionKey },
    { attribute: sortKey },
    ...graph.indexes.flatMap((index) => {
      const { partition, sort } = indexKeysOf(graph.table)[index];
      return [partition, sort].map((attribute) => ({ attribute, index: indexNames[index] }));
    }),
  ];
  const native = nativeIndexes(graph).map(({ attribute, name, type }) => {
    return { attribute, index: name, needed: type, isNative: true };
  });
  return [...keys.map((key) => ({ ...key, needed: 'S' as const })), ...native].flatMap((key) => {
    const type = types.get(key.attribute);
    return type === undefined || type === key.needed ? [] : [{ ...key, type }];
  });
}

export function keyTypeText({ attribute, index, type, needed }: OtherKeyType): string {
  return `the key ${attribute} of ${index === undefined ? 'the table' : `the index ${index}`} with type ${needed} (it has type ${type})`;
}

/** `addable` names the missing indexes that a migration adds and that only readers need. */
export function requireFit({
  table,
  lacks,
  addable = [],
}: {
  table: string;
  lacks: readonly string[];
  addable?: readonly string[];
}): void {
  if (lacks.every((lack) => addable.includes(lack))) return;
  throw new EdgeloomError(
    'table-differs',
    `The table ${table} lacks what the model needs: ${lacks.join('; ')}.`,
    'Add it with edgeloom table update, which says what to do where it cannot; or name another table with --table.',
  );
}

export async function requireKeyTypes(graph: CompiledModel, store: Store, logger: Pick<Logger, 'warn'>): Promise<void> {
  let table: TableDescription | undefined;
  try {
    table = await store.describe?.();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    logger.warn({}, `The types of the table's keys are not known: ${error.message}`);
  }
  if (table === undefined) return;
  const others = otherKeyTypes(graph, table).filter(({ isNative }) => isNative !== true);
  requireFit({ table: graph.table.name, lacks: others.map(keyTypeText) });
}
