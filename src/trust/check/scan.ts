import type { Item } from '../../core/items/attribute-value.ts';
import { isDerivedKey, isServicePartition } from '../../core/items/keys.ts';
import { itemKindOf } from '../../core/kinds/all-kinds.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import type { ItemKey, QueryRequest, QueryResult, ScanSource, Store } from '../../core/store-port.ts';
import type { WalkedItem, WalkedPage } from '../../store/table-walk.ts';
import { type Noted, PartitionSummary } from './compare.ts';
import { type LookUpContext, LookUps } from './look-up.ts';
import { PartitionsInMemory } from './partitions-in-memory.ts';

/**
 * Called with a partition once all of it is read.
 *
 * @param itemsRead returns all of its items, if they were on one page.
 */
export type PartitionSeen = (
  summary: PartitionSummary,
  itemsRead: () => PartitionsInMemory | undefined,
) => Promise<void>;

/** The values that comparing a segment needs. */
export interface SegmentContext {
  graph: CompiledModel;
  /** The store that nodes are read from. */
  store: Pick<Store, 'getMany'>;
  /** Called with each partition after its last item in this segment. */
  onPartition: PartitionSeen;
  /** Called with each item that has a property besides its part in the comparison. */
  onNoted: (key: ItemKey, noted: NonNullable<Noted>, item: Item) => void;
  /** Looks up items that other partitions decide; absent: nothing is looked up. */
  lookUps?: LookUpContext;
}

/** Compares one segment, partition by partition. */
export class SegmentScan {
  private current: PartitionSummary | undefined;
  /** The items of this partition, if all of them so far are on this page. */
  private items: WalkedItem[] | undefined;
  private readonly lookUps: LookUps | undefined;

  constructor(private readonly context: SegmentContext) {
    this.lookUps = context.lookUps && new LookUps(context.lookUps);
  }

  /** The partition that the last page ended in. It may continue on the next page. */
  get unfinished(): string | undefined {
    return this.current?.source;
  }

  /** Compares the items of a page. */
  async visitPage({ items, isLast }: WalkedPage): Promise<true> {
    for (const item of items) await this.addItem(item);
    if (isLast) await this.finishPartition();
    // A partition of any size takes no more memory than a page.
    this.items = undefined;
    // The look-ups end before the place moves on, because no cursor contains them.
    await this.lookUps?.finish();
    return true;
  }

  private async addItem(walked: WalkedItem): Promise<void> {
    const { source, target, item } = walked;
    const { graph } = this.context;
    // The items of the service's own partition are not derived from anything.
    if (isServicePartition(source)) return;
    if (this.current?.source !== source) {
      await this.finishPartition();
      const keepsSlots = this.lookUps !== undefined;
      this.current = new PartitionSummary(graph, source, keepsSlots);
      this.items = [];
    }
    this.items?.push(walked);
    // Base items come in the order of their keys. For an edge that comes before its node, the node is read, once for each
    // partition.
    if (!isDerivedKey(target) && this.current!.lacksNode(target)) {
      const keys = sourceNodeKeys(graph, source).map((key) => ({ source, target: key }));
      const { items } = await this.context.store.getMany(keys, { consistent: false });
      this.current!.setNode(sourceNodeOf(graph, source, items));
    }
    const noted = this.current!.add(target, item);
    if (noted !== undefined) this.context.onNoted({ source, target }, noted, item);
    if (this.lookUps !== undefined) await this.lookUps.addItem({ source, target }, item);
  }

  /** The items of the partition that ends; undefined if some were on an earlier page, or have to be read in an order of their own. */
  private inMemory(items: readonly WalkedItem[] | undefined): PartitionsInMemory | undefined {
    const { graph } = this.context;
    // A total is compared with entries that were read before it.
    if (items === undefined || items.some(({ target }) => itemKindOf(graph, target).name === 'total')) return undefined;
    const partition = new PartitionsInMemory(graph.table);
    for (const { source, target, item } of items) partition.add({ source, target }, item);
    return partition;
  }

  private async finishPartition(): Promise<void> {
    const { current } = this;
    this.current = undefined;
    if (current === undefined) return;
    const { items } = this;
    await this.context.onPartition(current, () => this.inMemory(items));
    // A partition with another difference is read again as a whole.
    if (current.slots.length > 0 && current.isClean) await this.lookUps?.addCopySlots(current.source, current.slots);
  }
}

/** Some partitions as the source of a scan: one segment each. */
export function partitionsAsScan(
  store: { query(request: QueryRequest): Promise<QueryResult> },
  sources: readonly string[],
): ScanSource {
  return {
    scan: async ({ segment, startKey }) => {
      const { items, lastKey, rcu } = await store.query({ partition: sources[segment]!, startKey });
      return { items, lastKey, rcu };
    },
  };
}

/** Number of segments from which a sample takes its share. */
export const SAMPLE_SEGMENTS = 1_000;

/**
 * Makes the options of a check of a random share of the table: the number of segments, and the segments to read, at least one. They are
 * chosen at random in each call.
 *
 * @param share 0 to 1.
 */
export function sampleOptions(share: number): { segments: number; onlySegments: number[] } {
  const segments = Array.from({ length: SAMPLE_SEGMENTS }, (_, segment) => ({ segment, order: Math.random() }));
  segments.sort((a, b) => a.order - b.order);
  const onlySegments = segments
    .slice(0, Math.max(1, Math.round(share * SAMPLE_SEGMENTS)))
    .map(({ segment }) => segment);
  return { segments: SAMPLE_SEGMENTS, onlySegments };
}
