import { type Item, stringOf } from '../../../../src/core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../../../src/core/items/keys.ts';
import type { Store } from '../../../../src/core/store-port.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { withReplacedCalls } from '../../../../src/store/wrapped.ts';
import {
  lowWatermarkOfStream,
  lowWatermarkOfTail,
  type TailLowWatermark,
} from '../../../../src/stream/progress/low-watermark.ts';
import type { StreamSource } from '../../../../src/stream/source.ts';
import { sweep } from '../../../../src/trust/repair/sweep.ts';
import { STREAM_LIMITS } from '../../kernel/shown-stream.ts';
import { Consumers } from '../projecting/consumers.ts';
import { Operation } from '../projecting/operation.ts';
import { SECOND } from '../projecting/time.ts';
import type { World } from '../projecting/world.ts';
import type { ObservedStreams } from './stream.ts';

/** How long an answer is reused, in milliseconds: as the product has it, or shorter, so that more happens in a schedule. */
const REUSED = [5 * SECOND, SECOND] as const;
/** Stamps are whole seconds of clocks that differ, and a record may be shown late. */
const MARGIN_MS = STREAM_LIMITS.lateMs + 2 * STREAM_LIMITS.skewMs + SECOND;
const OWN = `${SERVICE_PARTITION} `;
/** How old a record is that a sweep takes for unclaimed: the default of the product, and a little for the stamps. */
const SWEPT_AFTER_MS = 65 * SECOND;

/**
 * The low watermark as the product has it: consumers write claims into the table, the observer moves the mark by what it reads, others
 * read it, and move it while no observer does. Whoever gets a mark, every record made before it has to be applied.
 */
export class ProductLowWatermark {
  private readonly reusedMs: number;
  private sweeps = 0;
  private sweptMs: number | undefined;
  /** The latest mark of the observer. */
  private observedMs: number | undefined;

  constructor(
    private readonly world: World,
    private readonly streams: ObservedStreams,
  ) {
    this.reusedMs = REUSED[world.choices.pick('mark.reused', REUSED.length)]!;
    world.consumers = new Consumers(world);
  }

  /** The mark of a process that observes. */
  ofObserver(name: string, store: Store, source: StreamSource): TailLowWatermark {
    const { graph, agenda } = this.world;
    const mark = lowWatermarkOfTail({ graph, store, source, now: () => agenda.now }, this.reusedMs);
    const upToMs = async (): Promise<number | undefined> => {
      this.observedMs = this.judged(name, await mark.upToMs());
      return this.observedMs;
    };
    return { listener: mark.listener, upToMs };
  }

  /** The mark as another process has it; it knows of a new stream at once. */
  ofReader(name: string, store: Store): () => Promise<number | undefined> {
    const { graph, agenda } = this.world;
    let source: StreamSource | undefined;
    let mark: (() => Promise<number | undefined>) | undefined;
    return async () => {
      if (source?.streamArn !== this.streams.streamArn) mark = undefined;
      source = mark === undefined ? this.streams.source() : source!;
      mark ??= lowWatermarkOfStream({ graph, store, source, now: () => agenda.now }, this.reusedMs);
      return this.judged(name, await mark());
    };
  }

  /**
   * Enters sweeps of what nobody has claimed, as the stack makes them now and then. Before all else somebody asks for the mark: of a stream of
   * which no mark was ever published nobody knows later that the table had it.
   */
  plan(): void {
    const { choices, agenda, table } = this.world;
    agenda.in(0, () => {
      void this.ofReader('first', table)();
      return true;
    });
    const count = choices.pick('mark.sweeps', 3);
    for (let i = 0; i < count; i++) {
      const delay = choices.drawn(`mark.sweep${i}.at`, (random) => random.below(random.oneOf([60_000, 3_600_000])));
      agenda.in(1 + delay, () => {
        this.sweep();
        return true;
      });
    }
  }

  /** A table at rest needs one sweep, for the claims that died with their process. Gives whether it has had it. */
  isSettled(quietMs: number): boolean {
    const { lastMs } = this;
    if (this.sweptMs !== undefined && this.sweptMs > lastMs + SWEPT_AFTER_MS) return true;
    if (quietMs > SWEPT_AFTER_MS) this.sweep();
    return false;
  }

  /** Whether the mark stands still before the last write, although all is calm and nothing is left to be claimed. */
  get isStuck(): boolean {
    return this.observedMs !== undefined && this.observedMs < this.lastMs;
  }

  /** When an item that is not the service's own was last written. */
  private get lastMs(): number {
    return Math.max(0, ...[...this.world.written].map(([key, atMs]) => (key.startsWith(OWN) ? 0 : atMs)));
  }

  private sweep(): void {
    const { world, streams } = this;
    const { graph, agenda } = world;
    world.count('sweeps of the stream');
    new Operation(world, `sweep${this.sweeps++}`, async (operation, store) => {
      const beganMs = agenda.now;
      const { left, repaired } = await sweep({
        graph,
        model: fixedModel(graph),
        store: this.noting(store),
        source: streams.source(),
        now: () => agenda.now,
        wait: (milliseconds) => operation.wait(milliseconds),
        random: () => 0.5,
      });
      if (left === 0) this.sweptMs = beganMs;
      world.count('records swept', repaired);
      return `${repaired} records are claimed, ${left} are left`;
    }).start();
  }

  /** What a sweep claims it has reconciled. */
  private noting<T extends Store>(store: T): T {
    const put = (item: Item): ReturnType<Store['put']> => {
      if (stringOf(item['target'])?.startsWith('cover/')) this.world.claims.sweep(item);
      return store.put(item);
    };
    return withReplacedCalls(store, { put }) as T;
  }

  private judged(name: string, markMs: number | undefined): number | undefined {
    const { world } = this;
    world.count(markMs === undefined ? 'marks that are not known' : 'marks');
    if (markMs === undefined) return undefined;
    const passed = world.claims.unappliedBefore(markMs - MARGIN_MS);
    if (passed !== undefined) {
      const { source, target, sequenceNumber } = passed.change;
      const before = markMs - passed.atMs;
      world.fail(
        'mark',
        `${name} gets a mark ${before} ms after record ${sequenceNumber} of ${source} ${target}, not applied`,
      );
    }
    return markMs;
  }
}
