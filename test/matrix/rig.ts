import type { TableIdentity } from '../../src/admin.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { SERVICE_PARTITION } from '../../src/core/items/keys.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { isBaseSortKey, isContinuationKey } from '../../src/core/plan/stream-filter.ts';
import type { ItemKey, ScanSource, Store } from '../../src/core/store-port.ts';
import { KeyedStore } from '../../src/store/keyed.ts';
import { changedItems } from '../../src/stream/changed-items.ts';
import type { StreamRecord, StreamSource } from '../../src/stream/source.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';
import { at, LABEL } from '../support/records.ts';
import { oneShard } from './one-shard.ts';

/** A table for one cell, with its stream and a clock that only waiting moves. */
export interface Rig {
  readonly store: Store & ScanSource;
  /** Writes base items as their producers do; other software writes those of types with templates. */
  readonly producer: Producer;
  readonly identity: TableIdentity;
  /** Whether the store counts the units of a transaction as DynamoDB does. Engines count the units of its indexes otherwise. */
  readonly countsTransactions: boolean;
  nowMs(): number;
  wait(milliseconds: number): Promise<void>;
  /** The records of base items and of continuations, oldest first, from the beginning on. */
  records(): Promise<readonly ChangeRecord[]>;
  /** The stream of the table, with the records of derived items too. */
  readonly stream: StreamSource;
  /** Every item. */
  items(): Promise<Item[]>;
  /** Deletes what has expired, as DynamoDB's TTL does. */
  expire(): Promise<void>;
}

/** A writer of base items, whose keys are in Edgeloom's form. */
export interface Producer {
  put(item: Item): Promise<unknown>;
  delete(key: ItemKey): Promise<unknown>;
}

/** Makes a producer of a table, of a store that knows no templates. */
export function producerOf({ table }: CompiledModel, raw: Pick<Store, 'put' | 'delete'>): Producer {
  const { rawKeys } = table;
  return {
    put: (item) => {
      const key = keyOf(table, item);
      const told = [...(rawKeys?.marksOf(key) ?? []), ...(rawKeys?.idsOf(key) ?? [])];
      const attributes = Object.fromEntries(told.map(([name, S]) => [name, { S }]));
      return raw.put(withKey(table, { ...item, ...attributes }, rawKeys?.toRaw(key) ?? key));
    },
    delete: (key) => raw.delete(rawKeys?.toRaw(key) ?? key),
  };
}

/** A rig in memory. */
export function memoryRig(model: CompiledModel): Rig {
  let nowMs = 1_800_000_000_000;
  const records: ChangeRecord[] = [];
  const streamed: StreamRecord[] = [];
  const { name, partitionKey, sortKey, rawKeys } = model.table;
  const memory = new MemoryStore(model.table, {
    onChange: ({ key, oldImage, newImage }) => {
      const sequenceNumber = String(streamed.length + 1);
      const Keys = { [partitionKey]: { S: key.source }, [sortKey]: { S: key.target } };
      const dynamodb = { Keys, OldImage: oldImage, NewImage: newImage, SequenceNumber: sequenceNumber };
      const changes = changedItems(model.table, { dynamodb }).filter(
        ({ target }) => key.source !== SERVICE_PARTITION && (isBaseSortKey(target) || isContinuationKey(target)),
      );
      nowMs += 1_000 * changes.length;
      const createdAtSeconds = Math.floor(nowMs / 1_000);
      streamed.push({ dynamodb: { ...dynamodb, ApproximateCreationDateTime: new Date(1_000 * createdAtSeconds) } });
      for (const changed of changes)
        records.push({ ...changed, position: at(streamed.length), sequenceNumber, createdAtSeconds });
    },
  });
  const store = rawKeys === undefined ? memory : new KeyedStore(memory, { ...model.table, rawKeys });
  return {
    producer: producerOf(model, memory),
    ...{ store, identity: { id: 'table-1', streamLabel: LABEL }, countsTransactions: true, nowMs: () => nowMs },
    wait: async (milliseconds) => {
      nowMs += milliseconds;
    },
    records: async () => records,
    stream: oneShard(`arn:aws:dynamodb:eu-central-1:123456789012:table/${name}/stream/${LABEL}`, streamed),
    items: async () => [...memory.items()].map((item) => underKnownKeys(model, item)),
    expire: async () => {
      memory.expire(Math.floor(nowMs / 1_000));
    },
  };
}

/** An item of the table under its key in Edgeloom's form. */
function underKnownKeys({ table }: CompiledModel, item: Item): Item {
  const { rawKeys } = table;
  return rawKeys === undefined ? item : withKey(table, item, rawKeys.fromRaw(keyOf(table, item), item));
}

/** An item as the table has it, as in an export. */
export function asStored({ table }: CompiledModel, item: Item): Item {
  const key = keyOf(table, item);
  return withKey(table, item, table.rawKeys?.toRaw(key) ?? key);
}

function keyOf({ partitionKey, sortKey }: CompiledModel['table'], item: Item): ItemKey {
  return { source: stringOf(item[partitionKey]) ?? '', target: stringOf(item[sortKey]) ?? '' };
}

function withKey({ partitionKey, sortKey }: CompiledModel['table'], item: Item, { source, target }: ItemKey): Item {
  return { ...item, [partitionKey]: { S: source }, [sortKey]: { S: target } };
}
