import type { Item } from '../../core/items/attribute-value.ts';
import { isDerivedKey } from '../../core/items/keys.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { nativeIndexes } from '../../core/model/native-indexes.ts';
import type { ChangedItem } from '../../stream/changed-items.ts';
import type { RawRecord } from '../../stream/raw-record.ts';
import { nativeItemsOf } from '../read/lists/native-items.ts';
import { changeRevision } from './change-revision.ts';

/** A change to an index item that the projector would derive if the index weren't native. */
export interface NativeChange extends ChangedItem {
  revision: bigint;
}

export function isNativeChange(change: ChangedItem): change is NativeChange {
  return 'revision' in change;
}

export function nativeChanges(graph: CompiledModel, record: RawRecord, base: ChangedItem): NativeChange[] {
  if (nativeIndexes(graph).length === 0 || isDerivedKey(base.target)) return [];
  const [before, after] = [base.oldImage, base.newImage].map(
    (image): ReadonlyMap<string, Item> => (image === undefined ? new Map() : nativeItemsOf(graph, image)),
  ) as [ReadonlyMap<string, Item>, ReadonlyMap<string, Item>];
  const revision = changeRevision(record, BigInt(record.dynamodb?.SequenceNumber ?? 0));
  return [...new Set([...before.keys(), ...after.keys()])].map((target) => ({
    ...{ source: base.source, target, oldImage: before.get(target), newImage: after.get(target) },
    revision,
  }));
}
