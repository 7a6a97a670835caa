import type { Item } from '../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { BatchWrite, Store } from '../../core/store-port.ts';
import { baseKeyText } from './batch.ts';
import { BATCH_ITEMS } from './unfinished.ts';

interface Batch {
  puts: Map<string, BatchWrite>;
  first: number;
  entries: number;
}

interface OrderedPutsOptions {
  concurrency?: number | undefined;
  signal?: AbortSignal | undefined;
  onWritten: () => void;
}

/** Makes several calls at once, but keeps the puts of each key in order. */
export class OrderedPuts {
  items = 0;
  entries = 0;
  calls = 0;
  wcu = 0;
  failure: { error: unknown } | undefined;
  private batch: Batch | undefined;
  private readonly inFlight = new Map<Promise<void>, Batch>();
  private unwritten = Number.POSITIVE_INFINITY;

  /** @param last the position before the first entry. */
  constructor(
    private readonly graph: CompiledModel,
    private readonly store: Store,
    private readonly options: OrderedPutsOptions,
    private last = 0,
  ) {}

  get hasFailed(): boolean {
    return this.failure !== undefined || this.unwritten < Number.POSITIVE_INFINITY;
  }

  /** The position up to which all entries are written. */
  get done(): number {
    const open = [...this.inFlight.values(), ...(this.batch === undefined ? [] : [this.batch])];
    return Math.min(this.last, this.unwritten - 1, ...open.map(({ first }) => first - 1));
  }

  async add(item: Item, position: number): Promise<void> {
    const { concurrency = 8 } = this.options;
    const put = { put: item };
    const key = baseKeyText(this.graph, put);
    // Calls in flight may arrive in any order, so wait for those with this key.
    await Promise.all([...this.inFlight].filter(([, { puts }]) => puts.has(key)).map(([call]) => call));
    if (this.hasFailed) return;
    this.batch ??= { puts: new Map(), first: position, entries: 0 };
    this.batch.puts.set(key, put);
    this.batch.entries += 1;
    this.last = position;
    if (this.batch.puts.size >= BATCH_ITEMS) this.send();
    while (this.inFlight.size >= concurrency) await Promise.race(this.inFlight.keys());
  }

  async end(): Promise<void> {
    if (!this.hasFailed && this.options.signal?.aborted !== true) this.send();
    await Promise.all(this.inFlight.keys());
  }

  private send(): void {
    const { batch } = this;
    this.batch = undefined;
    if (batch === undefined) return;
    const call = this.write(batch).then((isWritten) => {
      this.inFlight.delete(call);
      if (isWritten) this.noteWritten();
    });
    this.inFlight.set(call, batch);
  }

  /** The caller's function may throw while nobody waits for this call, so its error is kept like a failed write's. */
  private noteWritten(): void {
    try {
      this.options.onWritten();
    } catch (error) {
      this.failure ??= { error };
    }
  }

  private async write({ puts, first, entries }: Batch): Promise<boolean> {
    const { signal } = this.options;
    try {
      const { calls, wcu } = await this.store.writeMany([...puts.values()], { signal });
      this.calls += calls;
      this.wcu += wcu;
      this.items += puts.size;
      this.entries += entries;
      return true;
    } catch (error) {
      this.unwritten = Math.min(this.unwritten, first);
      // An abort while waiting after a throttled call isn't a failure, but part of the batch may be written.
      if (signal?.aborted !== true || error !== signal.reason) this.failure ??= { error };
      return false;
    }
  }
}
