import pMap from 'p-map';
import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { INDEX_KEYS } from '../core/items/derived-item.ts';
import type { CompiledModel, IndexName, TableNames } from '../core/model/compiled.ts';
import type { ReadStats } from '../core/store-pages.ts';
import type { ItemKey, ScanRequest, ScanSource } from '../core/store-port.ts';

/** An item with its key. */
export interface WalkedItem {
  source: string;
  target: string;
  item: Item;
}

export function walkedItem({ table }: Pick<CompiledModel, 'table'>, item: Item): WalkedItem {
  return { ...keyOfItem(table, item), item };
}

export function keyOfItem({ partitionKey, sortKey }: TableNames, item: Item): ItemKey {
  return { source: stringOf(item[partitionKey]) ?? '', target: stringOf(item[sortKey]) ?? '' };
}

/** In a walk over an index, `at` is the item's key in the index. */
export interface WalkedKey extends ItemKey {
  at?: { partition: string; sort: string } | undefined;
}

/** Where a walk stopped. Can be stored as JSON. */
export interface WalkPlace {
  segments: number;
  /** Unfinished segments, each with the key after which it continues. */
  open: { segment: number; after?: WalkedKey | undefined }[];
}

export function walkStart(segments: number): WalkPlace {
  return { segments, open: Array.from({ length: segments }, (_, segment) => ({ segment })) };
}

export interface TableWalkOptions {
  graph: Pick<CompiledModel, 'table'>;
  source: ScanSource;
  /** Absent if `source` counts the read units. */
  stats?: ReadStats;
  /** Default: reads the table, eventually consistent. An index may be behind the table. */
  read?: Pick<ScanRequest, 'limit' | 'consistent'> & { index?: IndexName | undefined };
  concurrency: number;
  isOver: () => boolean;
  /**
   * Tells whether an item still exists after the visit, because the embedded engine can't continue after a deleted
   * item. Default: yes.
   */
  stays?: ((item: WalkedItem) => boolean) | undefined;
  /** Called after each page, before the segment's next page is read. The place already includes the page. */
  onPage?: (page: WalkedPage) => void | Promise<void>;
}

export interface WalkedPage {
  segment: number;
  items: readonly WalkedItem[];
  isLast: boolean;
}

/** Can stop after any page and be continued by another process. */
export class TableWalk {
  readonly place: WalkPlace;

  constructor(
    private readonly options: TableWalkOptions,
    from: WalkPlace,
  ) {
    this.place = structuredClone(from);
  }

  get isDone(): boolean {
    return this.place.open.length === 0;
  }

  /** @param visit returns whether it has finished the page; a segment stops at an unfinished one. */
  async run(visit: (page: WalkedPage) => Promise<boolean>): Promise<void> {
    const { concurrency } = this.options;
    await pMap([...this.place.open], (open) => this.walkSegment(open, visit), { concurrency });
  }

  private async walkSegment(
    open: WalkPlace['open'][number],
    visit: (page: WalkedPage) => Promise<boolean>,
  ): Promise<void> {
    const { graph, source, stats, read = {}, isOver, stays = () => true, onPage } = this.options;
    const { segment } = open;
    const { segments } = this.place;
    while (!isOver()) {
      const startKey = open.after && startKeyOf(graph, read.index, open.after);
      const page = await source.scan({ ...read, segment, segments, startKey });
      if (stats !== undefined) stats.rcu += page.rcu;
      const items = page.items.map((item) => walkedItem(graph, item));
      const isLast = page.lastKey === undefined;
      const walked = { segment, items, isLast };
      if (!(await visit(walked))) return;
      if (page.lastKey === undefined) this.place.open.splice(this.place.open.indexOf(open), 1);
      else {
        // If no item is left, the next page begins where this one did.
        const last = items.length === 0 ? walkedItem(graph, page.lastKey) : items.findLast(stays);
        if (last !== undefined) open.after = walkedKeyOf(read.index, last);
      }
      await onPage?.(walked);
      if (isLast) return;
    }
  }
}

function walkedKeyOf(index: IndexName | undefined, { source, target, item }: WalkedItem): WalkedKey {
  if (index === undefined) return { source, target };
  const { partition, sort } = INDEX_KEYS[index];
  return { source, target, at: { partition: stringOf(item[partition]) ?? '', sort: stringOf(item[sort]) ?? '' } };
}

function startKeyOf(
  { table }: Pick<CompiledModel, 'table'>,
  index: IndexName | undefined,
  { source, target, at }: WalkedKey,
): Item {
  const key: Item = { [table.partitionKey]: { S: source }, [table.sortKey]: { S: target } };
  if (index === undefined || at === undefined) return key;
  const { partition, sort } = INDEX_KEYS[index];
  return { ...key, [partition]: { S: at.partition }, [sort]: { S: at.sort } };
}
