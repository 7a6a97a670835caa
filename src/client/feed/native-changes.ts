import type { Item } from '../../core/items/attribute-value.ts';
import { isDerivedKey } from '../../core/items/keys.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { nativeIndexes } from '../../core/model/native.ts';
import type { ChangedItem } from '../../stream/changed-items.ts';
import type { RawRecord } from '../../stream/raw-record.ts';
import { nativeItemsOf } from '../read/lists/native.ts';
import { revisionNumber } from './change-revision.ts';

/**
 * The changes of rows in native lists. No derived item tells of them, so the base item does: its images become those of the index items
 * that the projector would have derived.
 */

/** A change of a row of a native list. Its key and its images are those of the item that the projector would have derived. */
export interface NativeChange extends ChangedItem {
  /** The sequence number of the record: a base item has no revision. */
  sequence: bigint;
  /** Orders the changes of one item: the record's time, and then its number. */
  revision: bigint;
}

/** Tells whether a change is one of a native list. */
export function isNativeChange(change: ChangedItem): change is NativeChange {
  return 'sequence' in change;
}

/** The changes that a record of a base item makes in native lists, one for each index item that is there before or after it. */
export function nativeChanges(graph: CompiledModel, record: RawRecord, base: ChangedItem): NativeChange[] {
  if (nativeIndexes(graph).length === 0 || isDerivedKey(base.target)) return [];
  const [before, after] = [base.oldImage, base.newImage].map(
    (image): ReadonlyMap<string, Item> => (image === undefined ? new Map() : nativeItemsOf(graph, image)),
  ) as [ReadonlyMap<string, Item>, ReadonlyMap<string, Item>];
  const sequence = BigInt(record.dynamodb?.SequenceNumber ?? 0);
  return [...new Set([...before.keys(), ...after.keys()])].map((target) => ({
    ...{ source: base.source, target, oldImage: before.get(target), newImage: after.get(target) },
    ...{ sequence, revision: revisionNumber(record, sequence) },
  }));
}
