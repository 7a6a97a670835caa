import pLimit, { type LimitFunction } from 'p-limit';
import type {
  BaseChange,
  BatchWaits,
  BatchWrite,
  ChangeAllResult,
  ChangeResult,
  DerivedUpdate,
  GetManyResult,
  GetResult,
  ItemKey,
  KeyTypes,
  QueryRequest,
  QueryResult,
  ReadManyOptions,
  ReadOptions,
  ScanPage,
  ScanRequest,
  ScanSource,
  Store,
  TransactResult,
  UpdateResult,
  WriteManyResult,
  WriteResult,
} from '../core/store-port.ts';
import { isRetryableStoreError, type StoreError } from '../foundation/errors.ts';
import { retrying } from '../foundation/retry.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../foundation/runtime.ts';
import { isRefusal } from './classify.ts';

/** Options of a metered store. */
export interface MeterOptions extends Pick<RuntimeOptions, 'remainingMs' | 'wait' | 'random'> {
  /** Read capacity units that may be consumed a second. Default: no limit. */
  maxRcu?: number;
  /** Write capacity units that may be consumed a second. Default: no limit. */
  maxWcu?: number;
  /** Calls in flight at once. Default 32. */
  concurrency?: number;
  /** Milliseconds of a clock that never goes back. Default: the process's. */
  now?: () => number;
}

/**
 * A store that counts the capacity that calls consume and keeps it under a rate, for long work under live traffic. The cost of
 * a call is known only afterwards: a call that cost more than its share makes the next ones wait. Retryable
 * failures are retried with full jitter.
 */
export class MeteredStore implements Store, ScanSource {
  /** Units consumed so far. */
  rcu = 0;
  wcu = 0;
  private readonly reads: Allowance;
  private readonly writes: Allowance;
  private readonly limit: LimitFunction;
  private readonly runtime: Pick<Runtime, 'wait' | 'random' | 'remainingMs'>;

  constructor(
    private readonly store: Store & ScanSource,
    options: MeterOptions = {},
  ) {
    const { maxRcu, maxWcu, concurrency = 32, now = () => performance.now(), ...runtime } = options;
    this.reads = new Allowance(maxRcu, now);
    this.writes = new Allowance(maxWcu, now);
    this.limit = pLimit(concurrency);
    this.runtime = runtimeOf(runtime);
  }

  async region(): Promise<string | undefined> {
    return await this.store.region?.();
  }

  async keyTypes(): Promise<KeyTypes | undefined> {
    return await this.store.keyTypes?.();
  }

  get(key: ItemKey, options: ReadOptions): Promise<GetResult> {
    return this.meteredRead(() => this.store.get(key, options));
  }

  getMany(keys: readonly ItemKey[], options: ReadManyOptions): Promise<GetManyResult> {
    return this.meteredRead(() => this.store.getMany(keys, { ...options, ...this.runtime }));
  }

  query(request: QueryRequest): Promise<QueryResult> {
    return this.meteredRead(() => this.store.query(request));
  }

  scan(request: ScanRequest): Promise<ScanPage> {
    return this.meteredRead(() => this.store.scan(request));
  }

  update(update: DerivedUpdate): Promise<UpdateResult> {
    return this.meteredWrite(() => this.store.update(update));
  }

  transact(updates: readonly DerivedUpdate[]): Promise<TransactResult> {
    return this.meteredWrite(() => this.store.transact(updates));
  }

  put(item: Parameters<Store['put']>[0]): Promise<WriteResult> {
    return this.meteredWrite(() => this.store.put(item));
  }

  delete(...parameters: Parameters<Store['delete']>): ReturnType<Store['delete']> {
    return this.meteredWrite(() => this.store.delete(...parameters));
  }

  writeMany(writes: readonly BatchWrite[], { signal }: BatchWaits = {}): Promise<WriteManyResult> {
    return this.meteredWrite(() => this.store.writeMany(writes, { signal, ...this.runtime }));
  }

  change(change: BaseChange): Promise<ChangeResult> {
    return this.meteredWrite(() => this.store.change(change), isRefusal);
  }

  changeAll(...parameters: Parameters<Store['changeAll']>): Promise<ChangeAllResult> {
    return this.meteredWrite(() => this.store.changeAll(...parameters));
  }

  private async meteredRead<T extends { rcu: number }>(call: () => Promise<T>): Promise<T> {
    const result = await this.callWithinAllowance(this.reads, call);
    this.rcu += result.rcu;
    this.reads.spend(result.rcu);
    return result;
  }

  private async meteredWrite<T extends { wcu: number }>(
    call: () => Promise<T>,
    mayRetry: (error: StoreError) => boolean = () => true,
  ): Promise<T> {
    const result = await this.callWithinAllowance(this.writes, call, mayRetry);
    this.wcu += result.wcu;
    this.writes.spend(result.wcu);
    return result;
  }

  private callWithinAllowance<T>(
    allowance: Allowance,
    call: () => Promise<T>,
    mayRetry: (error: StoreError) => boolean = () => true,
  ): Promise<T> {
    return this.limit(async () => {
      for (let debtMs = allowance.debtMs(); debtMs > 0; debtMs = allowance.debtMs()) await this.runtime.wait(debtMs);
      return await retrying(call, {
        isRetryable: (error) => isRetryableStoreError(error) && mayRetry(error),
        ...this.runtime,
      });
    });
  }
}

/** A token bucket that is paid afterwards: one second's units may be saved up, and debt has to be waited out. */
class Allowance {
  private tokens: number;
  private countedAt: number;

  constructor(
    private readonly unitsPerSecond: number | undefined,
    private readonly now: () => number,
  ) {
    this.tokens = unitsPerSecond ?? 0;
    this.countedAt = now();
  }

  spend(units: number): void {
    this.tokens -= units;
  }

  /** Milliseconds until nothing is owed. */
  debtMs(): number {
    if (this.unitsPerSecond === undefined) return 0;
    const now = this.now();
    const earned = ((now - this.countedAt) / 1000) * this.unitsPerSecond;
    this.tokens = Math.min(this.unitsPerSecond, this.tokens + earned);
    this.countedAt = now;
    return this.tokens >= 0 ? 0 : Math.ceil((-this.tokens / this.unitsPerSecond) * 1000);
  }
}
