import type { TableIdentity } from '../../src/index.ts';
import type { Item } from '../../src/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/items/change-record.ts';
import type { CompiledModel } from '../../src/model/compiled.ts';
import type { ScanSource, Store } from '../../src/store/port.ts';
import { isBaseSortKey, isContinuationKey } from '../../src/stream/filter.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';
import { at, LABEL } from '../support/records.ts';

/** A table for one cell, with its stream and a clock that only waiting moves. */
export interface Rig {
  readonly store: Store & ScanSource;
  readonly identity: TableIdentity;
  /** Whether the store counts the units of a transaction as DynamoDB does. Engines count the units of its indexes otherwise. */
  readonly countsTransactions: boolean;
  nowMs(): number;
  wait(milliseconds: number): Promise<void>;
  /** The records of base items and of continuations, oldest first, from the beginning on. */
  records(): Promise<readonly ChangeRecord[]>;
  /** Every item. */
  items(): Promise<Item[]>;
  /** Deletes what has expired, as DynamoDB's TTL does. */
  expire(): Promise<void>;
}

/** A rig in memory. */
export function memoryRig(model: CompiledModel): Rig {
  let nowMs = 1_800_000_000_000;
  const records: ChangeRecord[] = [];
  const store = new MemoryStore(model.table, {
    onChange: ({ key, oldImage, newImage }) => {
      if (key.source === '~edgeloom' || (!isBaseSortKey(key.target) && !isContinuationKey(key.target))) return;
      const sequence = records.length + 1;
      nowMs += 1_000;
      records.push({
        ...{ source: key.source, target: key.target, oldImage, newImage, position: at(sequence) },
        ...{ sequenceNumber: String(sequence), createdAtSeconds: Math.floor(nowMs / 1_000) },
      });
    },
  });
  return {
    ...{ store, identity: { id: 'table-1', streamLabel: LABEL }, countsTransactions: true, nowMs: () => nowMs },
    wait: async (milliseconds) => {
      nowMs += milliseconds;
    },
    records: async () => records,
    items: async () => [...store.items()],
    expire: async () => {
      store.expire(Math.floor(nowMs / 1_000));
    },
  };
}
