import { toWireItem } from '../client/write/checks/values.ts';
import { type AttributeValue, attributeOf, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { REVISION } from '../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../core/items/keys.ts';
import { toPlainItem } from '../core/items/plain.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { queriedItems, type ReadStats } from '../core/store-pages.ts';
import type { BaseChange, BaseCondition, ItemKey, Store } from '../core/store-port.ts';

/** One attribute holds all values, so that they can't clash with the table's key names. */
const STATE = 'state';

export type PutRecord = BaseChange & { kind: 'put' };

export interface Stored<State> {
  /** Grows with each write of the record; 0 if its writes aren't counted. */
  revision: number;
  /** The revision as stored, which may be damaged; undefined if there is none. */
  seen: AttributeValue | undefined;
  state: State;
}

export function serviceKey(target: string): ItemKey {
  return { source: SERVICE_PARTITION, target };
}

export function putOf({ table }: CompiledModel, key: ItemKey, state: object, condition?: BaseCondition): PutRecord {
  const keys = { [table.partitionKey]: { S: key.source }, [table.sortKey]: { S: key.target } };
  return { kind: 'put', key, item: { ...keys, [STATE]: { M: toWireItem(state) } }, ...(condition && { condition }) };
}

export function putNext(
  graph: CompiledModel,
  key: ItemKey,
  { revision, state }: Omit<Stored<object>, 'seen'>,
  seen: AttributeValue | undefined,
  expiry?: number,
): PutRecord {
  // rule: source-ledger-is-written-as-it-was-read
  const condition: BaseCondition = seen === undefined ? { absent: [REVISION] } : { equal: { [REVISION]: seen } };
  const put = putOf(graph, key, state, condition);
  put.item[REVISION] = numberValue(revision);
  if (expiry !== undefined) put.item[graph.table.ttl] = numberValue(expiry);
  return put;
}

export function asPut({ item }: PutRecord): BaseCondition {
  return { equal: { [STATE]: item[STATE]! } };
}

export function storedIn<State>(item: Item | undefined): Stored<State> | undefined {
  if (item === undefined) return undefined;
  const state = attributeOf(item, STATE);
  const values = state !== undefined && 'M' in state ? toPlainItem(state.M) : {};
  const seen = attributeOf(item, REVISION);
  return { revision: Number((seen && numberOf(seen)) ?? 0), seen, state: values as State };
}

/** The result's keys are the sort keys without the prefix. */
export async function recordsUnder<State>(
  { table }: CompiledModel,
  store: Pick<Store, 'query'>,
  { prefix, limit }: { prefix: string; limit?: number },
  stats?: ReadStats,
): Promise<Map<string, Stored<State>>> {
  const found = new Map<string, Stored<State>>();
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: prefix }, consistent: true };
  for await (const item of queriedItems(store, { ...request, ...(limit && { limit }) }, stats)) {
    found.set(stringOf(item[table.sortKey])!.slice(prefix.length), storedIn(item)!);
    if (found.size === limit) break;
  }
  return found;
}

export function numberValue(number: number): { N: string } {
  return { N: String(number) };
}
