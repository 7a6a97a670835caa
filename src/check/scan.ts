import type { Item } from '../model/attribute-value.ts';
import { stringOf } from '../model/attribute-value.ts';
import type { AnyGraph } from '../model/graph.ts';
import type { ItemKey, QueryRequest, QueryResult, ScanSource } from '../store/port.ts';
import type { StreamLabel } from '../stream/label.ts';
import { type Noted, PartitionSummary } from './compare.ts';

/** A part of the table, and how far it was read. */
export interface OpenSegment {
  segment: number;
  /** The last key read; absent where it was not begun. */
  after?: ItemKey;
}

/** What is told of a partition once it has passed. */
export type PartitionSeen = (summary: PartitionSummary) => Promise<void>;

/** What a segment's reader needs. */
export interface SegmentContext {
  graph: AnyGraph;
  source: ScanSource;
  segments: number;
  stream: StreamLabel;
  /** Clock in milliseconds since 1970. */
  now: () => number;
  /** Called with each partition when the last of its items in this segment has passed. */
  onPartition: PartitionSeen;
  /** Called after each page; the next is read when it is done. */
  onPage: () => Promise<void>;
  /** Called with each item that is something besides its part in the comparison. */
  onNoted: (key: ItemKey, noted: NonNullable<Noted>, item: Item) => void;
  isOver: () => boolean;
}

/** Reads one segment, partition by partition. */
export class SegmentScan {
  isDone = false;
  private current: PartitionSummary | undefined;

  constructor(
    private readonly context: SegmentContext,
    readonly place: OpenSegment,
  ) {}

  /** The partition that the last page ended in; it may go on. */
  get unfinished(): string | undefined {
    return this.current?.source;
  }

  /** Reads to the end of the segment, or until time is over. */
  async run(): Promise<void> {
    const { context, place } = this;
    while (!this.isDone && !context.isOver()) {
      const { segment, after } = place;
      const page = await context.source.scan({
        segment,
        segments: context.segments,
        startKey: after && keyItem(context.graph, after),
      });
      for (const item of page.items) await this.take(item);
      place.after = page.lastKey && keyOf(context.graph, page.lastKey);
      if (page.lastKey === undefined) {
        await this.finishPartition();
        this.isDone = true;
      }
      await context.onPage();
    }
  }

  private async take(item: Item): Promise<void> {
    const { graph, stream, now } = this.context;
    const { source, target } = keyOf(graph, item);
    if (this.current?.source !== source) {
      await this.finishPartition();
      this.current = new PartitionSummary(graph, source, Math.floor(now() / 1000), stream.known);
    }
    const noted = this.current!.add(target, item);
    if (noted !== undefined) this.context.onNoted({ source, target }, noted, item);
  }

  private async finishPartition(): Promise<void> {
    const { current } = this;
    this.current = undefined;
    if (current !== undefined) await this.context.onPartition(current);
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

function keyOf({ table }: AnyGraph, item: Item): ItemKey {
  return { source: stringOf(item[table.partitionKey]) ?? '', target: stringOf(item[table.sortKey]) ?? '' };
}

function keyItem({ table }: AnyGraph, { source, target }: ItemKey): Item {
  return { [table.partitionKey]: { S: source }, [table.sortKey]: { S: target } };
}
