import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { isServicePartition } from '../../core/items/keys.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { ItemKey, QueryRequest, QueryResult, ScanSource, Store } from '../../core/store-port.ts';
import type { WalkedItem, WalkedPage } from '../../store/table-walk.ts';
import { type LookUpContext, LookUps } from './look-up.ts';
import { addItem } from './nominate.ts';
import { type Noted, PartitionComparison } from './partition.ts';

export interface SegmentContext {
  graph: CompiledModel;
  store: Pick<Store, 'getMany' | 'query'>;
  /** Called with each partition after its last item in this segment. */
  onPartition: (comparison: PartitionComparison) => void;
  onNoted: (key: ItemKey, noted: NonNullable<Noted>, item: Item) => void;
  /** Undefined: items that other partitions determine are not looked up. */
  lookUps?: LookUpContext;
}

export class SegmentScan {
  private current: PartitionComparison | undefined;
  private readonly lookUps: LookUps | undefined;

  /** @param after the last key that an earlier run read. That run counted the item, but not yet its partition. */
  constructor(
    private readonly context: SegmentContext,
    private after: ItemKey | undefined,
  ) {
    this.lookUps = context.lookUps && new LookUps(context.lookUps);
  }

  async visitPage({ items, isLast }: WalkedPage): Promise<void> {
    const { after } = this;
    this.after = undefined;
    if (after !== undefined && !isServicePartition(after.source)) await this.readBeginning(after);
    for (const item of items) await this.addItem(item);
    if (isLast) await this.finishPartition();
    // Cursors don't contain look-ups, so the look-ups have to end before the scan moves on.
    await this.lookUps?.finish();
  }

  /** Reads the part of a partition before the place of an earlier run, to compare the partition as a whole. */
  private async readBeginning({ source, target }: ItemKey): Promise<void> {
    const { graph, store } = this.context;
    this.current = this.comparisonOf(source);
    for await (const item of queriedItems(store, { partition: source, sortKey: { to: target } }))
      await addItem(store, this.current, stringOf(item[graph.table.sortKey]) ?? '', item);
  }

  private comparisonOf(source: string): PartitionComparison {
    return new PartitionComparison(this.context.graph, source, { keepsSlots: this.lookUps !== undefined });
  }

  private async addItem({ source, target, item }: WalkedItem): Promise<void> {
    const { store, onNoted } = this.context;
    // The service partition has neither base items nor derived items.
    if (isServicePartition(source)) return await this.finishPartition();
    if (this.current?.source !== source) {
      await this.finishPartition();
      this.current = this.comparisonOf(source);
    }
    const noted = await addItem(store, this.current!, target, item);
    if (noted !== undefined) onNoted({ source, target }, noted, item);
    await this.lookUps?.addItem({ source, target }, item);
  }

  private async finishPartition(): Promise<void> {
    const { current } = this;
    this.current = undefined;
    if (current === undefined) return;
    this.context.onPartition(current);
    // If the partition isn't clean, its inspection compares the copies as well.
    if (current.slots.length > 0 && current.isClean) await this.lookUps?.addCopySlots(current.source, current.slots);
  }
}

export function partitionsAsScan(
  store: { query(request: QueryRequest): Promise<QueryResult> },
  sources: readonly string[],
): ScanSource {
  return {
    scan: ({ segment, startKey, limit }) => store.query({ partition: sources[segment]!, startKey, limit }),
  };
}

const SAMPLE_SEGMENTS = 1_000;

/**
 * Returns options for a check of a random share of the table: at least one segment. Each call chooses anew.
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
