import { type CompiledModel, indexKeysOf } from '../core/model/compiled.ts';
import type { KeyTypes, Store } from '../core/store-port.ts';
import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';

/** A key that the model writes as a text, and that the table has as another type. */
export interface OtherKeyType {
  attribute: string;
  /** The index that the model has it for; absent: it is a key of the table. */
  index?: string;
  /** The type in the table: `N` or `B`. */
  type: string;
}

/** The keys of the model that the table has as another type than text. One may be the key of an index of other software. */
export function otherKeyTypes(graph: CompiledModel, types: KeyTypes): OtherKeyType[] {
  const { partitionKey, sortKey, indexNames } = graph.table;
  const keys: { attribute: string; index?: string }[] = [
    { attribute: partitionKey },
    { attribute: sortKey },
    ...graph.indexes.flatMap((index) => {
      const { partition, sort } = indexKeysOf(graph.table)[index];
      return [partition, sort].map((attribute) => ({ attribute, index: indexNames[index] }));
    }),
  ];
  return keys.flatMap((key) => {
    const type = types.get(key.attribute);
    return type === undefined || type === 'S' ? [] : [{ ...key, type }];
  });
}

/** Says which type a key has to have, and which one it has. */
export function keyTypeText({ attribute, index, type }: OtherKeyType): string {
  return `the key ${attribute} of ${index === undefined ? 'the table' : `the index ${index}`} with type S (it has type ${type})`;
}

/** Throws `table-differs`, which names what lacks, where a table does not have what the model needs. */
export function requireFit({ table, lacks }: { table: string; lacks: readonly string[] }): void {
  if (lacks.length === 0) return;
  throw new EdgeloomError(
    'table-differs',
    `The table ${table} lacks what the model needs: ${lacks.join('; ')}.`,
    'Add it with edgeloom table update, which says what to do where it cannot; or name another table with --table.',
  );
}

/**
 * Throws `table-differs` for keys of another type than the model writes: such a table refuses items for ever. A projector asks at
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
  requireFit({ table: graph.table.name, lacks: otherKeyTypes(graph, types).map(keyTypeText) });
}
