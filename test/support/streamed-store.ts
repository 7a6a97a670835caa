import type { Item } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../src/core/model/native-indexes.ts';
import { isBaseSortKey, isContinuationKey } from '../../src/core/plan/stream-filter.ts';
import { type ItemChange, MemoryStore } from './memory-store/memory-store.ts';
import { LABEL } from './records.ts';

/** A table in memory with its stream: the records of base items and continuations of fan-outs, oldest first. */
export class StreamedStore extends MemoryStore {
  readonly records: ChangeRecord[];
  /** Changes of derived items, which a stream would carry too and the projector never sees. */
  readonly derivedChanges: ItemChange[];

  /** @param nowMs the time of the records. Default: one second after the other. */
  constructor(graph: CompiledModel, nowMs?: () => number) {
    const records: ChangeRecord[] = [];
    const derivedChanges: ItemChange[] = [];
    super(graph.table, {
      nativeIndexes: nativeIndexes(graph),
      onChange: (change) => {
        if (!isBaseSortKey(change.key.target) && !isContinuationKey(change.key.target)) {
          derivedChanges.push(change);
          return;
        }
        const sequence = records.length + 1;
        records.push({
          source: change.key.source,
          target: change.key.target,
          oldImage: change.oldImage,
          newImage: change.newImage,
          stream: LABEL,
          sequenceNumber: String(sequence),
          createdAtSeconds: nowMs === undefined ? 1_767_225_600 + sequence : Math.floor(nowMs() / 1000),
        });
      },
    });
    this.records = records;
    this.derivedChanges = derivedChanges;
  }

  /** Puts or, where there are no attributes, deletes a base item; gives the record, if that changed anything. */
  async producer(source: string, target: string, attributes: Item | undefined): Promise<ChangeRecord | undefined> {
    const before = this.records.length;
    if (attributes === undefined) await this.delete({ source, target });
    else await this.put({ source: { S: source }, target: { S: target }, ...attributes });
    return this.records[before];
  }

  /** A derived item as it is stored. */
  async derived(source: string, sortKey: string): Promise<Item | undefined> {
    return (await this.get({ source, target: sortKey }, { consistent: true })).item;
  }
}
