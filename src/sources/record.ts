import { toWireItem } from '../client/write/checks/values.ts';
import { SERVICE_PARTITION } from '../core/items/keys.ts';
import { toPlainItem } from '../core/items/plain.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { queriedItems, type ReadStats } from '../core/store-pages.ts';
import type { BaseChange, BaseCondition, ItemKey, Store } from '../core/store-port.ts';

/** Items that remember something about sources, as plain values. */

/** Writes a record. */
export type PutRecord = BaseChange & { kind: 'put' };

/** The key of a record in the service partition. */
export function serviceKey(target: string): ItemKey {
  return { source: SERVICE_PARTITION, target };
}

/** The write of a record. `condition`: what has to be there. */
export function putOf({ table }: CompiledModel, key: ItemKey, values: object, condition?: BaseCondition): PutRecord {
  const { source, target } = key;
  const item = { ...toWireItem(values), [table.partitionKey]: { S: source }, [table.sortKey]: { S: target } };
  return { kind: 'put', key, item, ...(condition && { condition }) };
}

/** The values of a record; undefined: there is none. */
export async function readRecord<T>(
  store: Pick<Store, 'get'>,
  key: ItemKey,
  consistent = true,
): Promise<Partial<T> | undefined> {
  const { item } = await store.get(key, { consistent });
  return item && (toPlainItem(item) as Partial<T>);
}

/** The records of the service partition whose sort keys begin with a prefix, each with the rest of its sort key. */
export async function* recordsUnder<T>(
  { table }: CompiledModel,
  store: Pick<Store, 'query'>,
  { prefix, limit }: { prefix: string; limit?: number },
  stats?: ReadStats,
): AsyncGenerator<Partial<T> & { name: string }, void> {
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: prefix }, consistent: true };
  for await (const item of queriedItems(store, { ...request, ...(limit && { limit }) }, stats)) {
    const values = toPlainItem(item);
    yield { ...(values as Partial<T>), name: String(values[table.sortKey]).slice(prefix.length) };
  }
}
