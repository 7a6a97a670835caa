import { type CompiledModel, indexKeysOf } from '../core/model/compiled.ts';
import { type NativeType, nativeIndexes } from '../core/model/native-indexes.ts';
import type { KeyTypes, Store } from '../core/store-port.ts';
import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';

export interface OtherKeyType {
  attribute: string;
  /** Absent: a key of the table. */
  index?: string;
  type: string;
  needed: NativeType;
  /** True for an attribute of base items, which no derived item has. */
  isNative?: boolean;
}

/** One may be the key of another software's index. */
export function otherKeyTypes(graph: CompiledModel, types: KeyTypes): OtherKeyType[] {
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

/** Throws `table-differs` and names what is missing. */
export function requireFit({ table, lacks }: { table: string; lacks: readonly string[] }): void {
  if (lacks.length === 0) return;
  throw new EdgeloomError(
    'table-differs',
    `The table ${table} lacks what the model needs: ${lacks.join('; ')}.`,
    'Add it with edgeloom table update, which says what to do where it cannot; or name another table with --table.',
  );
}

/** Throws `table-differs` if DynamoDB is still filling one of the model's indexes, which can't be read. */
export function requireFilled({ table, filling }: { table: string; filling: readonly string[] }): void {
  if (filling.length === 0) return;
  throw new EdgeloomError(
    'table-differs',
    `DynamoDB still fills these indexes of the table ${table}: ${filling.join(', ')}.`,
    'Run this again when edgeloom table describe names them as filling no more; edgeloom table update waits for them.',
  );
}

/**
 * Throws `table-differs` for keys with another type than in derived items, which such a table always refuses. A
 * projector checks at its start, and continues with a warning if it isn't allowed to.
 */
export async function requireKeyTypes(graph: CompiledModel, store: Store, logger: Pick<Logger, 'warn'>): Promise<void> {
  let types: KeyTypes | undefined;
  try {
    types = await store.keyTypes?.();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    logger.warn({}, `The types of the table's keys are not known: ${error.message}`);
  }
  if (types === undefined) return;
  const others = otherKeyTypes(graph, types).filter(({ isNative }) => isNative !== true);
  requireFit({ table: graph.table.name, lacks: others.map(keyTypeText) });
}
