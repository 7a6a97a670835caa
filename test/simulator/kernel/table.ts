import type { Item } from '../../../src/core/items/attribute-value.ts';
import { INDEX_KEYS, INDEX_NAMES, USUAL_INDEXES } from '../../../src/core/items/derived-item.ts';
import type { TableNames } from '../../../src/core/model/compiled.ts';

import type { ItemKey } from '../../../src/core/store-port.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { NativeIndexes } from './native-indexes.ts';
import type { Random } from './random.ts';
import type { TableChange } from './shown-stream.ts';
import { compareBytes, frozen, nameOf, numberOf, textOf } from './values.ts';

/** What an item is from a moment on; an index shows it from a later moment on. */
export interface Version {
  atMs: number;
  visibleAtMs: number;
  item: Item | undefined;
}

/** One key with what was lately stored under it, the newest last. */
export interface Cell {
  key: ItemKey;
  versions: Version[];
}

/** Names of the key attributes, and of the one that TTL uses. */
export type Names = Pick<TableNames, 'partitionKey' | 'sortKey' | 'ttl'>;

/** How a table is. */
export interface TableOptions {
  /** Default: `source`, `target`, `expiresAt`. */
  names?: Names;
  /** How long after a change an index shows it. Default: a moment, seldom seconds. */
  indexLag?: (random: Random) => number;
  /** How old an eventually consistent read is. Default: a second, seldom three. */
  readLag?: (random: Random) => number;
  /** The oldest state that a read shows, in milliseconds. Default: `MOST_READ_LAG_MS`. */
  mostReadLagMs?: number;
  /** Draws how long native indexes take to come and go; the table begins without them. Default: it has each that a query names, with all attributes. */
  indexChanges?: Random;
  /** Whether indexes hold all attributes, as older ones do. Default: what readers need. */
  indexesOfAll?: boolean;
}

/** An index behind its table, and an eventually consistent read of the table behind a consistent one, at most. */
export const MOST_INDEX_LAG_MS = 6_000;
export const MOST_READ_LAG_MS = 3_000;
const USUAL_READ_LAG_MS = 800;
/** As many as models of schedules name. */
const INDEXES = INDEX_NAMES.slice(0, 4);
/** What a table's names are but for its keys. */
const INDEXED = {
  name: 'records',
  indexes: USUAL_INDEXES,
  indexNames: Object.fromEntries(INDEX_NAMES.map((index) => [index, index])) as TableNames['indexNames'],
};
/** The writer of what no process writes: a producer, a person. */
export const NOBODY = '';

/**
 * What DynamoDB keeps: items, of which indexes and eventual reads show what they were a moment ago. Conditions, limits and numbers are
 * those of the store in memory, which the contract tests compare with DynamoDB.
 */
export class Table {
  /** How often a view has begun to leave out an edge type. */
  evictions = 0;
  /** The process that writes at this moment. */
  writer = NOBODY;
  /** Is told of every change, of derived items too. */
  listener: ((change: TableChange, writer: string) => void) | undefined;
  /** Whether a put that changes nothing has a record. */
  tellsUnchanged = false;
  readonly names: Names;
  readonly indexesOfAll: boolean;
  readonly readLag: (random: Random) => number;
  /** The native indexes; undefined: each that a query names. */
  readonly nativeIndexes: NativeIndexes | undefined;
  private engine: MemoryStore;
  /** What a put has made, as far as it has changed anything. */
  private made: { item?: Item | undefined } | undefined;
  private cells = new Map<string, Cell>();
  /** The cells of each partition, by sort key. */
  private partitions = new Map<string, Cell[]>();
  private indexed = new Map<string, Set<Cell>>();

  constructor(
    /** All moments of the table are its. */
    readonly clock: { readonly nowMs: number },
    private readonly random: Random,
    private readonly onChange: (change: TableChange) => void,
    private readonly options: TableOptions = {},
  ) {
    this.names = options.names ?? { partitionKey: 'source', sortKey: 'target', ttl: 'expiresAt' };
    this.readLag = options.readLag ?? readLag;
    this.indexesOfAll = options.indexesOfAll ?? false;
    const { indexChanges } = options;
    this.nativeIndexes = indexChanges && new NativeIndexes(clock, indexChanges, { ...INDEXED, ...this.names });
    this.engine = this.newEngine();
  }

  /** Makes a write as DynamoDB does. */
  make<T>(write: (engine: MemoryStore) => T): T {
    return write(this.engine);
  }

  /** What is stored now. */
  current(key: ItemKey): Item | undefined {
    return this.cells.get(nameOf(key))?.versions.at(-1)?.item;
  }

  /** What a read shows: of now, or of a moment ago. */
  read(key: ItemKey, atMs: number): Item | undefined {
    return versionAt(this.cells.get(nameOf(key)), atMs, 'atMs')?.item;
  }

  /** Stores an item, or nothing, under a key. */
  write(key: ItemKey, item: Item | undefined): void {
    void this.put(key, item);
  }

  /** Stores an item, or nothing; rejects where DynamoDB would refuse it. */
  put(key: ItemKey, item: Item | undefined): Promise<{ wcu: number }> {
    const made = this.expectPut();
    const result = item === undefined ? this.engine.delete(key) : this.engine.put(item);
    this.made = undefined;
    // One that changes nothing may have a record all the same.
    if ('item' in made) this.note(key, made.item);
    else this.note(key, this.current(key), true);
    return result;
  }

  /** From now on a change is not noted, but kept. */
  private expectPut(): { item?: Item | undefined } {
    this.made = {};
    return this.made;
  }

  private newEngine(): MemoryStore {
    return new MemoryStore(
      { ...INDEXED, ...this.names },
      {
        onChange: ({ key, newImage }) => {
          if (this.made === undefined) this.note(key, newImage);
          else this.made.item = newImage;
        },
      },
    );
  }

  /** Takes a change in: from now on reads show it, and soon the indexes do. */
  private note(key: ItemKey, given: Item | undefined, isSame = false): void {
    const before = this.current(key);
    if (before === undefined && given === undefined) return;
    const item = frozen(given);
    const cell = this.cellOf(key);
    const { nowMs } = this.clock;
    const { indexLag = usualIndexLag(true) } = this.options;
    const visibleAtMs = Math.max(cell.versions.at(-1)?.visibleAtMs ?? 0, nowMs + indexLag(this.random));
    cell.versions.push({ atMs: nowMs, visibleAtMs, item });
    const { mostReadLagMs = MOST_READ_LAG_MS } = this.options;
    while (isPassed(cell.versions[1], nowMs, mostReadLagMs)) cell.versions.shift();
    this.noteInIndexes(item, cell);
    if (item?.['evicted'] !== undefined && before?.['evicted'] === undefined) this.evictions += 1;
    const isStreamed = !key.target.startsWith('~') || key.target.startsWith('~more/');
    if ((!isStreamed && this.listener === undefined) || (isSame && !this.tellsUnchanged)) return;
    const change = { key, before, after: item };
    this.listener?.(change, this.writer);
    if (isStreamed) this.onChange(change);
  }

  /** The cells of a partition by sort key. */
  partition(source: string): readonly Cell[] {
    return this.partitions.get(source) ?? [];
  }

  /** The items of a partition by sort key. */
  itemsOf(source: string): Item[] {
    return this.partition(source)
      .map(({ versions }) => versions.at(-1)!.item)
      .filter((item) => item !== undefined);
  }

  /** The items as indexes show them at a moment. */
  *visible(atMs: number): Iterable<Item> {
    for (const cell of this.cells.values()) {
      const item = versionAt(cell, atMs, 'visibleAtMs')?.item;
      if (item !== undefined) yield item;
    }
  }

  /** The cells of an index's partition, in no order. */
  indexPartition(index: string, partition: string): Iterable<Cell> {
    return this.indexed.get(`${index}\n${partition}`) ?? [];
  }

  sources(): string[] {
    return [...this.partitions.keys()];
  }

  /** All that is stored now. */
  *items(): Iterable<{ key: ItemKey; item: Item }> {
    for (const { key, versions } of this.cells.values()) {
      const { item } = versions.at(-1)!;
      if (item !== undefined) yield { key, item };
    }
  }

  /** The table as it is, to come back to. */
  backup(): { key: ItemKey; item: Item }[] {
    return [...this.items()];
  }

  /** The table as it was: another one, whose stream begins empty. */
  restore(backup: readonly { key: ItemKey; item: Item }[]): void {
    this.engine = this.newEngine();
    this.cells = new Map();
    this.partitions = new Map();
    this.indexed = new Map();
    for (const { key, item } of backup) {
      this.expectPut();
      void this.engine.put(item);
      this.made = undefined;
      const cell = this.cellOf(key);
      cell.versions.push({ atMs: 0, visibleAtMs: 0, item });
      this.noteInIndexes(item, cell);
    }
  }

  /** TTL: what has expired goes, or not yet. */
  expire(nowMs = this.clock.nowMs): void {
    for (const { key, item } of this.backup()) {
      const expiresAt = Number(numberOf(item[this.names.ttl]));
      if (expiresAt > 0 && expiresAt * 1000 < nowMs && this.random.chance(0.8)) void this.put(key, undefined);
    }
  }

  /** The key of an item. */
  keyOf(item: Item): ItemKey {
    return { source: textOf(item[this.names.partitionKey]), target: textOf(item[this.names.sortKey]) };
  }

  private cellOf(key: ItemKey): Cell {
    const name = nameOf(key);
    let cell = this.cells.get(name);
    if (cell === undefined) {
      cell = { key, versions: [] };
      this.cells.set(name, cell);
      const partition = this.partitions.get(key.source) ?? [];
      const behind = partition.findIndex((other) => compareBytes(other.key.target, key.target) > 0);
      partition.splice(behind < 0 ? partition.length : behind, 0, cell);
      this.partitions.set(key.source, partition);
    }
    return cell;
  }

  private noteInIndexes(item: Item = {}, cell: Cell): void {
    for (const index of INDEXES) {
      const partition = item[INDEX_KEYS[index].partition];
      if (partition === undefined) continue;
      const place = `${index}\n${textOf(partition)}`;
      this.indexed.set(place, (this.indexed.get(place) ?? new Set()).add(cell));
    }
  }
}

/** How long after a change an index shows it, in milliseconds. `isLate`: in some cases only seconds later. */
export function usualIndexLag(isLate: boolean): (random: Random) => number {
  return (random) => (random.chance(0.05) && isLate ? random.below(MOST_INDEX_LAG_MS) : 5 + random.below(60));
}

/** How old an eventually consistent read is, in milliseconds. */
function readLag(random: Random): number {
  return random.below(random.chance(0.1) ? MOST_READ_LAG_MS : USUAL_READ_LAG_MS);
}

/** What a cell was at a moment, by its own time or by the time that an index shows it. */
export function versionAt(cell: Cell | undefined, atMs: number, by: 'atMs' | 'visibleAtMs'): Version | undefined {
  return cell?.versions.findLast((version) => version[by] <= atMs);
}

function isPassed(version: Version | undefined, nowMs: number, mostReadLagMs: number): boolean {
  return version !== undefined && version.visibleAtMs < nowMs && version.atMs < nowMs - mostReadLagMs;
}
