import type { ChangeRecord } from '../items/change-record.ts';

/** What one batch says of one base item: its records, oldest first, each once. */
export interface ItemHistory {
  source: string;
  target: string;
  records: ChangeRecord[];
}

/**
 * Folds a batch into histories: per partition, per base item, in stream order. The order across items carries no
 * meaning in a stream and none here; a record that a batch holds twice counts once.
 */
export function foldBatch(records: readonly ChangeRecord[]): Map<string, ItemHistory[]> {
  const items = new Map<string, Map<string, ItemHistory>>();
  for (const record of records) {
    let partition = items.get(record.source);
    if (partition === undefined) {
      partition = new Map();
      items.set(record.source, partition);
    }
    const history = partition.get(record.target);
    if (history === undefined) {
      partition.set(record.target, { source: record.source, target: record.target, records: [record] });
    } else {
      append(history.records, record);
    }
  }
  const folded = new Map<string, ItemHistory[]>();
  for (const [source, partition] of items) folded.set(source, [...partition.values()]);
  return folded;
}

/** Keeps records in the order of their positions; they nearly always arrive in it. */
function append(records: ChangeRecord[], record: ChangeRecord): void {
  let place = records.length;
  while (place > 0 && records[place - 1]!.position > record.position) place -= 1;
  if (place > 0 && records[place - 1]!.position === record.position) return;
  records.splice(place, 0, record);
}
