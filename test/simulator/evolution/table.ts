import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { DerivedUpdate, ItemKey, UpdateCondition } from '../../../src/core/store-port.ts';
import { addInto } from '../../support/memory-store/update.ts';
import type { Random } from '../kernel/random.ts';
import type { Timeline } from './timeline.ts';
import { byteSize, nameOf, numberOf, sameText, setOf, textOf } from './values.ts';

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

/** A change of a base item, or of a continuation: what a stream is about. */
export interface TableChange {
  key: ItemKey;
  before: Item | undefined;
  after: Item | undefined;
}

/** An index behind its table, and an eventually consistent read of the table behind a consistent one, at most. */
export const MOST_INDEX_LAG_MS = 6_000;
export const MOST_READ_LAG_MS = 3_000;
const USUAL_READ_LAG_MS = 800;
const INDEXES = ['gsi0', 'gsi1'] as const;
/** The writer of what no process writes: a producer, a person. */
export const NOBODY = '';

/**
 * What DynamoDB keeps: items, of which indexes and eventual reads show what they were a moment ago. It knows nothing of
 * what the items mean, but for the names that the port to the table gives away.
 */
export class Table {
  /** How often a view has begun to leave out an edge type. */
  evictions = 0;
  /** The process that writes at this moment. */
  writer = NOBODY;
  /** Is told of every change, of derived items too. */
  listener: ((change: TableChange, writer: string) => void) | undefined;
  private cells = new Map<string, Cell>();
  private partitions = new Map<string, Map<string, Cell>>();
  private indexed = new Map<string, Set<Cell>>();

  constructor(
    private readonly timeline: Timeline,
    private readonly random: Random,
    private readonly onChange: (change: TableChange) => void,
    /** Whether an index may show an item seconds later. */
    private readonly hasLateIndexes = true,
  ) {}

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
    const before = this.current(key);
    if (before === undefined && item === undefined) return;
    const cell = this.cellOf(key);
    const { nowMs } = this.timeline;
    const isLate = this.random.chance(0.05) && this.hasLateIndexes;
    const lagMs = isLate ? this.random.below(MOST_INDEX_LAG_MS) : 5 + this.random.below(60);
    const visibleAtMs = Math.max(cell.versions.at(-1)?.visibleAtMs ?? 0, nowMs + lagMs);
    cell.versions.push({ atMs: nowMs, visibleAtMs, item });
    while (isPassed(cell.versions[1], nowMs)) cell.versions.shift();
    for (const index of INDEXES) this.note(`${index}\n${textOf(item?.[`${index}pk`])}`, cell);
    if (item?.['evicted'] !== undefined && before?.['evicted'] === undefined) this.evictions += 1;
    const isStreamed = !key.target.startsWith('~') || key.target.startsWith('~more/');
    if ((!isStreamed && this.listener === undefined) || sameText(before, item)) return;
    const change = { key, before, after: item };
    this.listener?.(change, this.writer);
    if (isStreamed) this.onChange(change);
  }

  /** The cells of a partition by sort key, or of an index's partition, in no order. */
  partition(source: string): Cell[] {
    const cells = [...(this.partitions.get(source)?.values() ?? [])];
    return cells.sort((left, right) => (left.key.target < right.key.target ? -1 : 1));
  }

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
    this.cells = new Map();
    this.partitions = new Map();
    this.indexed = new Map();
    for (const { key, item } of backup) {
      const cell = this.cellOf(key);
      cell.versions.push({ atMs: 0, visibleAtMs: 0, item });
      for (const index of INDEXES) this.note(`${index}\n${textOf(item[`${index}pk`])}`, cell);
    }
  }

  /** Carries out an update, as the port has it. */
  update(update: DerivedUpdate): void {
    const { key, set, unset, addElements, deleteElements, setElements, condition } = update;
    const ways = [addElements, deleteElements].filter((elements) => (elements?.length ?? 0) > 0);
    if (setElements !== undefined) ways.push(setElements);
    if (ways.length > 1 || setElements?.length === 0) {
      throw new Error(`An update of ${nameOf(key)} has an empty set, or two changes of one.`);
    }
    const current = this.current(key);
    const isAnew = condition.kind === 'revision' && condition.malformed !== undefined;
    const revision = isAnew ? 0 : Number(numberOf(current?.['r']));
    const next: Item = { source: { S: key.source }, target: { S: key.target }, ...current, ...set };
    for (const name of unset) delete next[name];
    next['r'] = { N: String(revision + 1) };
    if (ways.length > 0) {
      const elements = new Set(setElements ?? setOf(current?.['edgeSet']));
      for (const element of addElements ?? []) elements.add(element);
      for (const element of deleteElements ?? []) elements.delete(element);
      delete next['edgeSet'];
      if (elements.size > 0) next['edgeSet'] = { SS: [...elements] };
    }
    addInto(next, update);
    this.write(key, next);
  }

  /** TTL: what has expired goes, or not yet. */
  expire(): void {
    for (const { key, item } of this.backup()) {
      const expiresAt = Number(numberOf(item['expiresAt']));
      if (expiresAt > 0 && expiresAt * 1000 < this.timeline.nowMs && this.random.chance(0.8))
        this.write(key, undefined);
    }
  }

  private cellOf(key: ItemKey): Cell {
    const name = nameOf(key);
    let cell = this.cells.get(name);
    if (cell === undefined) {
      cell = { key, versions: [] };
      this.cells.set(name, cell);
      const partition = this.partitions.get(key.source) ?? new Map<string, Cell>();
      this.partitions.set(key.source, partition.set(key.target, cell));
    }
    return cell;
  }

  private note(place: string, cell: Cell): void {
    if (place.endsWith('\n')) return;
    const cells = this.indexed.get(place) ?? new Set();
    this.indexed.set(place, cells.add(cell));
  }
}

/** How old an eventually consistent read is, in milliseconds. */
export function readLag(random: Random): number {
  return random.below(random.chance(0.1) ? MOST_READ_LAG_MS : USUAL_READ_LAG_MS);
}

/** What a cell was at a moment, by its own time or by the time that an index shows it. */
export function versionAt(cell: Cell | undefined, atMs: number, by: 'atMs' | 'visibleAtMs'): Version | undefined {
  return cell?.versions.findLast((version) => version[by] <= atMs);
}

function isPassed(version: Version | undefined, nowMs: number): boolean {
  return version !== undefined && version.visibleAtMs < nowMs && version.atMs < nowMs - MOST_READ_LAG_MS;
}

/** Whether DynamoDB would let an update through. */
export function holds(condition: UpdateCondition, current: Item | undefined): boolean {
  if (condition.kind === 'none') return true;
  if (condition.kind === 'revision') {
    const { revision, malformed, expiry } = condition;
    if (expiry !== undefined && !sameText(current?.[expiry.attribute], expiry.value)) return false;
    if (malformed !== undefined) return sameText(current?.['r'], malformed);
    if (revision === undefined) return current?.['r'] === undefined;
    return current?.['r'] !== undefined && Number(numberOf(current['r'])) === Number(revision);
  }
  if (condition.kind === 'holding')
    return Object.entries(condition.texts).every(([name, texts]) =>
      texts.every((text) => setOf(current?.[name]).includes(text)),
    );
  const { watermark, notEvicted = [], evicted = [], shape, fenceBefore } = condition;
  const marks = setOf(current?.['evicted']);
  if (notEvicted.some((type) => marks.includes(type)) || !evicted.every((type) => marks.includes(type))) return false;
  if (current?.['w'] !== undefined && textOf(current['w']) >= watermark) return false;
  if (
    fenceBefore !== undefined &&
    current?.['fence'] !== undefined &&
    Number(numberOf(current['fence'])) >= fenceBefore
  )
    return false;
  if (shape === undefined) return true;
  return current === undefined ? shape.mayBeMissing : textOf(current['model']) === shape.stamp;
}

/** Write units of an item before and after. */
export function writeUnits(before: Item | undefined, after: Item | undefined): number {
  return Math.max(1, Math.ceil(Math.max(byteSize(before), byteSize(after)) / 1024));
}
