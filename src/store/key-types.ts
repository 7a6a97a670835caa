import { type CompiledModel, indexKeysOf } from '../core/model/compiled.ts';
import { type NativeType, nativeIndexes } from '../core/model/native.ts';
import type { KeyTypes, Store } from '../core/store-port.ts';
import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';

/** A key that the table has as another type than the model. */
export interface OtherKeyType {
  attribute: string;
  /** The index that the model has it for; absent: it is a key of the table. */
  index?: string;
  /** The type in the table. */
  type: string;
  /** The type that the model needs. */
  needed: NativeType;
  /** True if it is an attribute of base items: no derived item has it. */
  isNative?: boolean;
}

/** The keys of the model that the table has as another type. One may be the key of an index of other software. */
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

/** Says which type a key has to have, and which one it has. */
export function keyTypeText({ attribute, index, type, needed }: OtherKeyType): string {
  return `the key ${attribute} of ${index === undefined ? 'the table' : `the index ${index}`} with type ${needed} (it has type ${type})`;
}

/** Throws `table-differs`, which names what the table lacks. Indexes that a migration adds do not count: only readers need them. */
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

/**
 * Throws `table-differs` for keys of another type than derived items have: such a table refuses them for ever. A projector asks at
 * its start, and goes on with a warning where it may not ask.
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
