import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { Filter } from '../../../src/core/items/filter.ts';
import type { IndexName, TableNames } from '../../../src/core/model/compiled.ts';
import type {
  ItemKey,
  QueryRequest,
  QueryResult,
  ScanPage,
  ScanRequest,
  ScanSource,
  Store,
} from '../../../src/core/store-port.ts';
import { indexProjection } from '../../../src/store/definition/table-definition.ts';
import { updateEach } from '../../../src/store/update-run.ts';
import { forgotten } from '../../support/forgotten.ts';
import { MOST_CALL_AGE_MS } from './native-indexes.ts';
import { nativePage } from './native-page.ts';
import type { Random } from './random.ts';
import { type Cell, NOBODY, type Table, versionAt } from './table.ts';
import { compareBytes, mapOf, sameText, textOf } from './values.ts';

/** A process that calls a table. */
export interface Caller {
  readonly name: string;
  readonly random: Random;
  /** The clock on which all its reads have their moment. */
  readonly clock: { readonly nowMs: number };
  /** Makes a call. `isWrite`: it may land late. */
  call<T>(effect: () => T | Promise<T>, isWrite?: boolean): Promise<T>;
  /** Waits between two items of a page that are read at moments of their own. */
  pause(): Promise<void>;
}

/** Counts of a process's calls by what they are. */
export type Calls = Record<'get' | 'getMany' | 'query' | 'write', number>;

/** The port to the table, as one process has it. */
export function storeOf(table: Table, process: Caller, calls?: Calls): Store & ScanSource {
  const { random, clock } = process;
  const count = (kind: keyof Calls): void => {
    if (calls !== undefined) calls[kind] += 1;
  };
  const moment = (consistent: boolean): number =>
    consistent || random.chance(0.5) ? clock.nowMs : clock.nowMs - table.readLag(random);
  const written = <T>(effect: () => T | Promise<T>): Promise<T> =>
    process.call(() => {
      table.writer = process.name;
      try {
        return effect();
      } finally {
        table.writer = NOBODY;
      }
    }, true);
  const update: Store['update'] = (change) => {
    count('write');
    return written(() => table.make((engine) => engine.update(change)));
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
    update,
    // Each item is written and fails for itself.
    updateMany: async (updates, options) =>
      (await updateEach(updates, update, options)).map((outcome) => forgotten(outcome, random.chance(0.5))),
    transact: (updates) => {
      count('write');
      return written(() => table.make((engine) => engine.transact(updates)));
    },
    put: (item) => {
      count('write');
      return written(() => table.put(table.keyOf(item), item));
    },
    delete: (key, unchanged) => {
      count('write');
      return written(() => table.make((engine) => engine.delete(key, unchanged)));
    },
    writeMany: async (writes) => {
      for (const write of writes) {
        count('write');
        await written(() =>
          'delete' in write ? table.put(write.delete, undefined) : table.put(table.keyOf(write.put), write.put),
        );
      }
      return { wcu: writes.length, calls: writes.length };
    },
    change: (change) => written(() => table.make((engine) => engine.change(change))),
    changeAll: (changes, token) => written(() => table.make((engine) => engine.changeAll(changes, token))),
    query: (request) => {
      count('query');
      return process.call(() => queryPage(table, process, request));
    },
    queryNative: (request) => {
      count('query');
      return process.call(() => {
        const { name } = request.index;
        const need = table.nativeIndexes?.read(name, random);
        const isGoing = table.nativeIndexes !== undefined && need === undefined;
        const { limit = 10_000 } = request;
        // Now and then a page ends early, as it does at one MB.
        const most = random.chance(0.1) ? Math.min(limit, 1 + random.below(4)) : limit;
        return nativePage(
          table.names as TableNames,
          { ...request, limit: most },
          isGoing ? [] : table.visible(clock.nowMs),
          need,
        );
      });
    },
    scan: (request) => process.call(() => scanPage(table, process, request)),
    ...(table.nativeIndexes && {
      describe: () => process.call(() => table.nativeIndexes!.describe()),
      changeTable: (change) => {
        const signedAtMs = clock.nowMs;
        return process.call(() => {
          if (clock.nowMs - signedAtMs < MOST_CALL_AGE_MS) table.nativeIndexes!.change(change);
        }, true);
      },
    }),
  };
}

interface Row {
  sortKey: string;
  /** Where ties are told apart, and where the next page begins. */
  place: string;
  cell: Cell;
}

async function queryPage(table: Table, process: Caller, request: QueryRequest): Promise<QueryResult> {
  const { random, clock } = process;
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
  const begin = startKey && placeOf(table, startKey, index);
  const items: Item[] = [];
  let scanned = 0;
  let last: string | undefined = begin;
  for (;;) {
    // What comes next is looked for when its turn comes: a page is no snapshot.
    const atMs = consistent || index !== undefined ? clock.nowMs : clock.nowMs - table.readLag(random);
    const rows = rowsOf(table, request, atMs).filter(({ sortKey: key, place }) => {
      if (last !== undefined && compareBytes(place, last) * (reverse ? -1 : 1) <= 0) return false;
      if ('beginsWith' in sortKey) return key.startsWith(sortKey.beginsWith);
      const isFrom = compareBytes(key, sortKey.from ?? '') >= 0;
      return isFrom && (sortKey.to === undefined || compareBytes(key, sortKey.to) <= 0);
    });
    rows.sort((left, right) => compareBytes(left.place, right.place));
    if (reverse) rows.reverse();
    for (const { place, cell } of isTorn ? rows.slice(0, 1) : rows) {
      const stored = versionAt(cell, atMs, index === undefined ? 'atMs' : 'visibleAtMs')!.item!;
      scanned += 1;
      last = place;
      const item = index === undefined ? stored : inIndex(table, stored, index);
      const isOfKeys = itemKeys === undefined || isOneOf(itemKeys, table.keyOf(item));
      if (isOfKeys && isWanted(item, where)) items.push(item);
      if (scanned < limit) continue;
      const lastKey = lastKeyOf(table, item, index);
      return { items: countOnly ? [] : items, count: items.length, scanned, rcu: 1, lastKey };
    }
    if (!isTorn || rows.length === 0) return { items: countOnly ? [] : items, count: items.length, scanned, rcu: 1 };
    await process.pause();
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
      rows.push({ sortKey: textOf(item[`${name}sk`]), place: placeOf(table, item, name), cell });
    }
    return rows;
  }
}

/** The part of an item that an index has: its keys, and what the table's definition includes. Nothing counts there but what it gives. */
function inIndex({ names: { partitionKey, sortKey }, indexesOfAll }: Table, item: Item, index: IndexName): Item {
  if (indexesOfAll) return item;
  const { NonKeyAttributes } = indexProjection(index);
  const names = [partitionKey, sortKey, `${index}pk`, `${index}sk`, ...NonKeyAttributes];
  return Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]!]));
}

/** Where an item stands in the table's partition, or in that of an index. */
function placeOf(table: Table, item: Item, index: string | undefined): string {
  const { source, target } = table.keyOf(item);
  return index === undefined ? target : `${textOf(item[`${index}sk`])}\u0000\u0000${source}\u0000${target}`;
}

function lastKeyOf({ names: { partitionKey, sortKey } }: Table, item: Item, index: string | undefined): Item {
  const names = [partitionKey, sortKey, ...(index === undefined ? [] : [`${index}pk`, `${index}sk`])];
  return Object.fromEntries(names.map((name) => [name, item[name]!]));
}

/** Whether an item has one of the keys that a query is limited to. */
function isOneOf(
  { sources, target, isPrefix }: NonNullable<QueryRequest['itemKeys']>,
  { source, target: sortKey }: ItemKey,
): boolean {
  if (isPrefix ? !sortKey.startsWith(target) : sortKey !== target) return false;
  return sources.some((prefix) => source.startsWith(prefix));
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

function scanPage(table: Table, { random, clock }: Caller, request: ScanRequest): ScanPage {
  const { segment, segments, startKey, limit = 10_000, consistent = false, index } = request;
  if (index !== undefined && consistent) throw new Error('DynamoDB has no consistent reads of an index.');
  if (index !== undefined && startKey !== undefined && !(`${index}sk` in startKey))
    throw new Error('A scan of an index goes on behind a key of the index.');
  const most = Math.min(limit, 10 + random.below(60));
  const sources = table
    .sources()
    .filter((source) => hashOf(source) % segments === segment)
    .sort((left, right) => hashOf(left) - hashOf(right) || (left < right ? -1 : 1));
  const start = startKey && table.keyOf(startKey);
  const items: Item[] = [];
  for (const source of sources) {
    if (start !== undefined && compareSources(source, start.source) < 0) continue;
    for (const cell of table.partition(source)) {
      if (source === start?.source && compareBytes(cell.key.target, start.target) <= 0) continue;
      const isNow = consistent || index !== undefined;
      const atMs = isNow ? clock.nowMs : clock.nowMs - table.readLag(random);
      const item = versionAt(cell, atMs, index === undefined ? 'atMs' : 'visibleAtMs')?.item;
      if (item === undefined || (index !== undefined && item[`${index}sk`] === undefined)) continue;
      items.push(index === undefined ? item : inIndex(table, item, index));
      if (items.length >= most) return { items, lastKey: lastKeyOf(table, item, index), rcu: items.length };
    }
  }
  return { items, rcu: items.length };
}

function compareSources(left: string, right: string): number {
  return hashOf(left) - hashOf(right) || (left < right ? -1 : left > right ? 1 : 0);
}
