import { type ChangeRecord, isOlder } from '../items/change-record.ts';

/** The records of one batch for one base item, oldest first, without duplicates. */
export interface ItemHistory {
  source: string;
  target: string;
  records: ChangeRecord[];
}

/** The most items of a partition that are searched one by one: for more, a map is faster. */
const FEW_ITEMS = 8;

/**
 * Folds a batch into histories: by partition, by base item, in stream order. The order across items has no meaning in a stream, and
 * none here. A record that occurs twice in a batch counts once.
 */
export function foldBatch(records: readonly ChangeRecord[]): Map<string, ItemHistory[]> {
  const folded = new Map<string, ItemHistory[]>();
  const byTarget = new Map<string, Map<string, ItemHistory>>();
  for (const record of records) {
    const { source, target } = record;
    const histories = folded.get(source);
    if (histories === undefined) {
      folded.set(source, [{ source, target, records: [record] }]);
      continue;
    }
    const items = histories.length > FEW_ITEMS ? historiesByItem(byTarget, histories) : undefined;
    const history = items === undefined ? findHistory(histories, target) : items.get(target);
    if (history === undefined) {
      const first = { source, target, records: [record] };
      histories.push(first);
      items?.set(target, first);
    } else {
      insertInOrder(history.records, record);
    }
  }
  return folded;
}

function findHistory(histories: readonly ItemHistory[], target: string): ItemHistory | undefined {
  // A loop, not a callback: that would be a new function for each record.
  for (const history of histories) if (history.target === target) return history;
  return undefined;
}

/** The histories of one partition by their items. */
function historiesByItem(
  byTarget: Map<string, Map<string, ItemHistory>>,
  histories: readonly ItemHistory[],
): Map<string, ItemHistory> {
  const { source } = histories[0]!;
  let items = byTarget.get(source);
  if (items === undefined) {
    items = new Map(histories.map((history) => [history.target, history]));
    byTarget.set(source, items);
  }
  return items;
}

/** Inserts a record by its position. Records nearly always arrive in order. */
function insertInOrder(records: ChangeRecord[], record: ChangeRecord): void {
  let place = records.length;
  while (place > 0 && isOlder(record, records[place - 1]!)) place -= 1;
  // Neither record is older: it is the same record a second time.
  if (place > 0 && !isOlder(records[place - 1]!, record)) return;
  records.splice(place, 0, record);
}
