import type { TableIdentity } from '../../src/admin.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { SERVICE_PARTITION } from '../../src/core/items/keys.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../src/core/model/native-indexes.ts';
import { isBaseSortKey, isContinuationKey } from '../../src/core/plan/stream-filter.ts';
import type { ItemKey, ScanSource, Store } from '../../src/core/store-port.ts';
import { changedItem } from '../../src/stream/changed-items.ts';
import type { StreamRecord, StreamSource } from '../../src/stream/source.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';
import { LABEL } from '../support/records.ts';
import { oneShard } from './one-shard.ts';

/** A table for one cell, with its stream and a clock that only waiting moves. */
export interface Rig {
  readonly store: Store & ScanSource;
  /** Writes base items as their producers do. */
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
  /** Deletes expired items, as DynamoDB's TTL does. */
  expire(): Promise<void>;
}

/** A writer of base items. */
export interface Producer {
  put(item: Item): Promise<unknown>;
  delete(key: ItemKey): Promise<unknown>;
}

/** A rig in memory. */
export function memoryRig(model: CompiledModel): Rig {
  let nowMs = 1_800_000_000_000;
  const records: ChangeRecord[] = [];
  const streamed: StreamRecord[] = [];
  const { name, partitionKey, sortKey } = model.table;
  const memory = new MemoryStore(model.table, {
    nativeIndexes: nativeIndexes(model),
    onChange: ({ key, oldImage, newImage }) => {
      const sequenceNumber = String(streamed.length + 1);
      const Keys = { [partitionKey]: { S: key.source }, [sortKey]: { S: key.target } };
      const dynamodb = { Keys, OldImage: oldImage, NewImage: newImage, SequenceNumber: sequenceNumber };
      const changed = changedItem(model.table, { dynamodb });
      const isRead =
        changed !== undefined &&
        key.source !== SERVICE_PARTITION &&
        (isBaseSortKey(changed.target) || isContinuationKey(changed.target));
      if (isRead) nowMs += 1_000;
      const createdAtSeconds = Math.floor(nowMs / 1_000);
      streamed.push({ dynamodb: { ...dynamodb, ApproximateCreationDateTime: new Date(1_000 * createdAtSeconds) } });
      if (isRead) records.push({ ...changed, stream: LABEL, sequenceNumber, createdAtSeconds });
    },
  });
  return {
    producer: memory,
    ...{ store: memory, identity: { id: 'table-1', streamLabel: LABEL }, countsTransactions: true, nowMs: () => nowMs },
    wait: async (milliseconds) => {
      nowMs += milliseconds;
    },
    records: async () => records,
    stream: oneShard(`arn:aws:dynamodb:eu-central-1:123456789012:table/${name}/stream/${LABEL}`, streamed),
    items: async () => [...memory.items()],
    expire: async () => {
      memory.expire(Math.floor(nowMs / 1_000));
    },
  };
}
