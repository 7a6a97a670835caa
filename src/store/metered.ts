import pLimit, { type LimitFunction } from 'p-limit';
import type {
  BatchWaits,
  BatchWrite,
  GetManyResult,
  ItemKey,
  ReadManyOptions,
  ScanPage,
  ScanRequest,
  ScanSource,
  Store,
  WriteManyResult,
} from '../core/store-port.ts';
import { isRetryableStoreError, type StoreError } from '../foundation/errors.ts';
import { retrying } from '../foundation/retry.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../foundation/runtime.ts';
import { isRefusal } from './classify.ts';
import { ForwardingStore, type StoreCallName } from './forwarding.ts';

/** Options of a metered store. */
export interface MeterOptions {
  /** Milliseconds left; called many times. At 0 the run stops where it can go on later. Default: no end. */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** Read capacity units that may be consumed a second. Default: no limit. */
  maxRcu?: number;
  /** Write capacity units that may be consumed a second. Default: no limit. */
  maxWcu?: number;
  /** Calls in flight at once. Default 32. */
  concurrency?: number;
  /** Milliseconds of a clock that never goes back. Default: the process's. */
  now?: () => number;
}

/** The calls that consume read capacity. */
const READS: ReadonlySet<StoreCallName> = new Set(['get', 'getMany', 'query', 'queryNative']);

/** Capacity units that a call has consumed. */
interface Spent {
  rcu?: number;
  wcu?: number;
}

/**
 * A store that counts the capacity that calls consume and keeps it under a rate, for long work under live traffic. The cost of
 * a call is known only afterwards: a call that cost more than its share makes the next ones wait. Retryable
 * failures are retried with full jitter.
 */
export class MeteredStore extends ForwardingStore<Store & ScanSource> implements ScanSource {
  /** Units consumed so far. */
  rcu = 0;
  wcu = 0;
  private readonly reads: Allowance;
  private readonly writes: Allowance;
  private readonly limit: LimitFunction;
  private readonly runtime: Pick<Runtime, 'wait' | 'random' | 'remainingMs'>;

  constructor(store: Store & ScanSource, options: MeterOptions = {}) {
    super(store);
    const { maxRcu, maxWcu, concurrency = 32, now = () => performance.now(), ...runtime } = options;
    this.reads = new Allowance(maxRcu, now);
    this.writes = new Allowance(maxWcu, now);
    this.limit = pLimit(concurrency);
    this.runtime = runtimeOf(runtime);
  }

  scan(request: ScanRequest): Promise<ScanPage> {
    return this.metered(this.reads, () => this.inner.scan(request));
  }

  override getMany(keys: readonly ItemKey[], options: ReadManyOptions): Promise<GetManyResult> {
    return super.getMany(keys, { ...options, ...this.runtime });
  }

  override writeMany(writes: readonly BatchWrite[], { signal }: BatchWaits = {}): Promise<WriteManyResult> {
    return super.writeMany(writes, { signal, ...this.runtime });
  }

  protected override pass<Name extends StoreCallName>(
    name: Name,
    ...args: Parameters<Store[Name]>
  ): ReturnType<Store[Name]> {
    const call = (): Promise<Spent> => super.pass(name, ...args);
    const made = this.metered(
      READS.has(name) ? this.reads : this.writes,
      call,
      name === 'change' ? isRefusal : undefined,
    );
    return made as ReturnType<Store[Name]>;
  }

  private async metered<T extends Spent>(
    allowance: Allowance,
    call: () => Promise<T>,
    mayRetry?: (error: StoreError) => boolean,
  ): Promise<T> {
    const result = await this.callWithinAllowance(allowance, call, mayRetry);
    const { rcu = 0, wcu = 0 } = result;
    this.rcu += rcu;
    this.wcu += wcu;
    allowance.spend(allowance === this.reads ? rcu : wcu);
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
export class Allowance {
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
