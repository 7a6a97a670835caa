import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { Filter } from '../../../src/core/items/filter.ts';
import type {
  QueryRequest,
  QueryResult,
  ScanPage,
  ScanRequest,
  ScanSource,
  Store,
} from '../../../src/core/store-port.ts';
import type { Process } from './process.ts';
import { type Cell, holds, NOBODY, readLag, type Table, versionAt, writeUnits } from './table.ts';
import { mapOf, sameText, textOf } from './values.ts';

/** Counts of a process's calls by what they are. */
export type Calls = Record<'get' | 'getMany' | 'query' | 'write', number>;

/** The port to the table, as one process has it. */
export function storeOf(table: Table, process: Process, calls?: Calls): Store & ScanSource {
  const { random, timeline } = process;
  const count = (kind: keyof Calls): void => {
    if (calls !== undefined) calls[kind] += 1;
  };
  const moment = (consistent: boolean): number =>
    consistent || random.chance(0.5) ? timeline.nowMs : timeline.nowMs - readLag(random);
  const written = <T>(effect: () => T): Promise<T> =>
    process.call(() => {
      table.writer = process.name;
      try {
        return effect();
      } finally {
        table.writer = NOBODY;
      }
    }, true);
  const unused = (): never => {
    throw new Error('Nothing here makes such a call.');
  };
  return {
    get: (key, { consistent }) => {
      count('get');
      return process.call(() => {
        const item = table.read(key, moment(consistent));
        return { ...(item && { item }), rcu: 1 };
      });
    },
    getMany: (keys, { consistent }) => {
      count('getMany');
      return process.call(() => ({
        items: keys.map((key) => table.read(key, moment(consistent))),
        rcu: keys.length,
        calls: 1,
      }));
    },
    update: (update) => {
      count('write');
      return written(() => {
        const before = table.current(update.key);
        if (!holds(update.condition, before))
          return { applied: false, wcu: writeUnits(before, undefined), ...(before && { current: before }) };
        table.update(update);
        return { applied: true, wcu: writeUnits(before, table.current(update.key)) };
      });
    },
    transact: (updates) => {
      count('write');
      return written(() => {
        const applied = updates.every(({ key, condition }) => holds(condition, table.current(key)));
        if (applied) for (const update of updates) table.update(update);
        return { applied, wcu: 2 * updates.length };
      });
    },
    put: (item) => {
      count('write');
      return written(() => {
        const key = { source: textOf(item['source']), target: textOf(item['target']) };
        const before = table.current(key);
        table.write(key, item);
        return { wcu: writeUnits(before, item) };
      });
    },
    delete: (key, unchanged) => {
      count('write');
      return written(() => {
        const before = table.current(key);
        const applied = unchanged === undefined || holds(unchanged, before);
        if (applied) table.write(key, undefined);
        return { applied, wcu: writeUnits(before, undefined) };
      });
    },
    writeMany: async (writes) => {
      for (const write of writes) {
        count('write');
        await written(() => {
          if ('delete' in write) table.write(write.delete, undefined);
          else table.write({ source: textOf(write.put['source']), target: textOf(write.put['target']) }, write.put);
        });
      }
      return { wcu: writes.length, calls: writes.length };
    },
    query: (request) => {
      count('query');
      return process.call(() => queryPage(table, process, request));
    },
    scan: (request) => process.call(() => scanPage(table, process, request)),
    change: unused,
    changeAll: unused,
  };
}

interface Row {
  sortKey: string;
  /** Where ties are told apart, and where the next page begins. */
  place: string;
  cell: Cell;
}

async function queryPage(table: Table, process: Process, request: QueryRequest): Promise<QueryResult> {
  const { random, timeline } = process;
  const {
    index,
    partition,
    sortKey = {},
    reverse = false,
    where,
    itemKeys,
    startKey,
    consistent = false,
    countOnly,
  } = request;
  if (index !== undefined && consistent) throw new Error('DynamoDB has no consistent reads of an index.');
  // Now and then a page ends early, as it does at one MB.
  const limit = Math.min(request.limit ?? 10_000, random.chance(0.1) ? 1 + random.below(4) : 10_000);
  const isTorn = random.chance(0.1);
  const begin = startKey && placeOf(startKey, index);
  const items: Item[] = [];
  let scanned = 0;
  let last: string | undefined = begin;
  for (;;) {
    // What comes next is looked for when its turn comes: a page is no snapshot.
    const atMs = consistent || index !== undefined ? timeline.nowMs : timeline.nowMs - readLag(random);
    const rows = rowsOf(table, request, atMs).filter(({ sortKey: key, place }) => {
      if (last !== undefined && (reverse ? place >= last : place <= last)) return false;
      if ('beginsWith' in sortKey) return key.startsWith(sortKey.beginsWith);
      return key >= (sortKey.from ?? '') && (sortKey.to === undefined || key <= sortKey.to);
    });
    rows.sort((left, right) => (left.place < right.place ? -1 : 1));
    if (reverse) rows.reverse();
    for (const { place, cell } of isTorn ? rows.slice(0, 1) : rows) {
      const item = versionAt(cell, atMs, index === undefined ? 'atMs' : 'visibleAtMs')!.item!;
      scanned += 1;
      last = place;
      const isOfKeys = itemKeys === undefined || isOneOf(itemKeys, item);
      if (isOfKeys && isWanted(item, where)) items.push(item);
      if (scanned < limit) continue;
      const lastKey = lastKeyOf(item, index);
      return { items: countOnly ? [] : items, count: items.length, scanned, rcu: 1, lastKey };
    }
    if (!isTorn || rows.length === 0) return { items: countOnly ? [] : items, count: items.length, scanned, rcu: 1 };
    await timeline.sleep(random.below(40));
  }

  function rowsOf(from: Table, { index: name }: QueryRequest, atMs: number): Row[] {
    if (name === undefined) {
      const cells = from.partition(partition).filter((cell) => versionAt(cell, atMs, 'atMs')?.item !== undefined);
      return cells.map((cell) => ({ sortKey: cell.key.target, place: cell.key.target, cell }));
    }
    const rows: Row[] = [];
    for (const cell of from.indexPartition(name, partition)) {
      const item = versionAt(cell, atMs, 'visibleAtMs')?.item;
      if (item === undefined || textOf(item[`${name}pk`]) !== partition || item[`${name}sk`] === undefined) continue;
      rows.push({ sortKey: textOf(item[`${name}sk`]), place: placeOf(item, name), cell });
    }
    return rows;
  }
}

/** Where an item stands in the table's partition, or in that of an index. */
function placeOf(item: Item, index: string | undefined): string {
  const target = textOf(item['target']);
  return index === undefined
    ? target
    : `${textOf(item[`${index}sk`])}\u0000\u0000${textOf(item['source'])}\u0000${target}`;
}

function lastKeyOf(item: Item, index: string | undefined): Item {
  const names = ['source', 'target', ...(index === undefined ? [] : [`${index}pk`, `${index}sk`])];
  return Object.fromEntries(names.map((name) => [name, item[name]!]));
}

/** Whether an item has one of the keys that a query is limited to. */
function isOneOf({ sources, target, isPrefix }: NonNullable<QueryRequest['itemKeys']>, item: Item): boolean {
  const sortKey = textOf(item['target']);
  if (isPrefix ? !sortKey.startsWith(target) : sortKey !== target) return false;
  return sources.some((prefix) => textOf(item['source']).startsWith(prefix));
}

function isWanted(item: Item, where: Filter = []): boolean {
  const attributes = mapOf(item['attributes']);
  return where.every((term) => {
    if (term.compare !== '=') throw new Error(`No question of the schedules compares by ${term.compare}.`);
    return sameText(attributes[term.attribute], term.value);
  });
}

/** Partitions lie in the order of a hash, cut into segments at any place of it. */
function hashOf(text: string): number {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)!) % 65_521;
  return hash;
}

function scanPage(table: Table, { random, timeline }: Process, request: ScanRequest): ScanPage {
  const { segment, segments, startKey, limit = 10_000, consistent = false, index } = request;
  if (index !== undefined && consistent) throw new Error('DynamoDB has no consistent reads of an index.');
  if (index !== undefined && startKey !== undefined && !(`${index}sk` in startKey))
    throw new Error('A scan of an index goes on behind a key of the index.');
  const most = Math.min(limit, 10 + random.below(60));
  const sources = table
    .sources()
    .filter((source) => hashOf(source) % segments === segment)
    .sort((left, right) => hashOf(left) - hashOf(right) || (left < right ? -1 : 1));
  const start = textOf(startKey?.['source']);
  const items: Item[] = [];
  for (const source of sources) {
    if (startKey !== undefined && compareSources(source, start) < 0) continue;
    for (const cell of table.partition(source)) {
      if (source === start && cell.key.target <= textOf(startKey?.['target'])) continue;
      const isNow = consistent || index !== undefined;
      const atMs = isNow ? timeline.nowMs : timeline.nowMs - readLag(random);
      const item = versionAt(cell, atMs, index === undefined ? 'atMs' : 'visibleAtMs')?.item;
      if (item === undefined || (index !== undefined && item[`${index}sk`] === undefined)) continue;
      items.push(item);
      if (items.length >= most) return { items, lastKey: lastKeyOf(item, index), rcu: items.length };
    }
  }
  return { items, rcu: items.length };
}

function compareSources(left: string, right: string): number {
  return hashOf(left) - hashOf(right) || (left < right ? -1 : left > right ? 1 : 0);
}
