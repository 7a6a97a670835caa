import pLimit, { type LimitFunction } from 'p-limit';
import type {
  BatchWaits,
  BatchWrite,
  DerivedUpdate,
  GetManyResult,
  ItemKey,
  ReadManyOptions,
  ScanPage,
  ScanRequest,
  ScanSource,
  Store,
  UpdateManyOptions,
  UpdateOutcome,
  WriteManyResult,
} from '../core/store-port.ts';
import { isRetryableStoreError, type StoreError } from '../foundation/errors.ts';
import type { OptionNames } from '../foundation/options.ts';
import { backoffMs, retrying } from '../foundation/retry.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../foundation/runtime.ts';
import { isRefusal } from './classify.ts';
import { ForwardingStore, type StoreCallName } from './forwarding.ts';
import { HAS_OUTAGE_LIMIT, withOutageLimit } from './outage.ts';
import { type Spent, spentBy } from './spent.ts';

/** Limits on the capacity that long-running work consumes, including capacity of indexes. */
export interface RateOptions {
  /** Read capacity units per second. Default: unlimited. */
  maxRcu?: number | undefined;
  /** Write capacity units per second. Default: unlimited. */
  maxWcu?: number | undefined;
}

/** A `rate` can't be 0, because the work would never end. It may be a fraction, because workers share a rate. */
export const RATE_OPTIONS: OptionNames<RateOptions> = { maxRcu: 'rate', maxWcu: 'rate' };

export function hasRate({ maxRcu, maxWcu }: RateOptions): boolean {
  return maxRcu !== undefined || maxWcu !== undefined;
}

export interface MeterOptions extends RateOptions {
  remainingMs?: RuntimeOptions['remainingMs'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  concurrency?: number;
  /** A clock in milliseconds that never goes back. */
  now?: (() => number) | undefined;
}

/** Limits the updates per call, because the rate is only checked between calls. */
const UPDATES_AT_ONCE = 100;

const READS: ReadonlySet<StoreCallName> = new Set(['get', 'getMany', 'query', 'queryNative']);

/**
 * A call's cost is only known afterwards, so an expensive call delays the next ones. Retries retryable errors until
 * time runs out or the outage limit ends the work. Retries `change` only after a refusal, because otherwise DynamoDB
 * may have made the change.
 */
export class MeteredCalls<Inner extends Store = Store> extends ForwardingStore<Inner> {
  readonly [HAS_OUTAGE_LIMIT] = true;
  rcu = 0;
  wcu = 0;
  protected readonly reads: Allowance;
  private readonly writes: Allowance;
  private readonly limit: LimitFunction;
  private readonly runtime: Pick<Runtime, 'wait' | 'random' | 'remainingMs'>;

  constructor(store: Inner, options: MeterOptions = {}) {
    super(withOutageLimit(store, options));
    const { maxRcu, maxWcu, concurrency = 32, now = () => performance.now(), ...runtime } = options;
    this.reads = new Allowance(maxRcu, now);
    this.writes = new Allowance(maxWcu, now);
    this.limit = pLimit(concurrency);
    this.runtime = runtimeOf(runtime);
  }

  override getMany(keys: readonly ItemKey[], options: ReadManyOptions): Promise<GetManyResult> {
    return super.getMany(keys, { ...options, ...this.runtime });
  }

  override writeMany(writes: readonly BatchWrite[], { signal }: BatchWaits = {}): Promise<WriteManyResult> {
    return super.writeMany(writes, { signal, ...this.runtime });
  }

  override async updateMany(
    updates: readonly DerivedUpdate[],
    { signal, ...options }: UpdateManyOptions = {},
  ): Promise<readonly UpdateOutcome[]> {
    const remainingMs = (): number => Math.min(options.remainingMs?.() ?? Infinity, this.runtime.remainingMs());
    const outcomes: UpdateOutcome[] = [];
    for (let start = 0; start < updates.length; start += UPDATES_AT_ONCE) {
      const part = updates.slice(start, start + UPDATES_AT_ONCE);
      outcomes.push(...(await this.updatePart(part, { ...options, signal, remainingMs })));
    }
    return outcomes;
  }

  private async updatePart(
    updates: readonly DerivedUpdate[],
    options: UpdateManyOptions & { remainingMs: () => number },
  ): Promise<readonly UpdateOutcome[]> {
    const outcomes = [...(await super.updateMany(updates, options))];
    const { wait, random } = this.runtime;
    for (let attempt = 1; ; attempt++) {
      const places = [...outcomes.keys()].filter((place) => isRetryableOutcome(outcomes[place]!));
      const milliseconds = places.length === 0 ? Infinity : backoffMs(attempt, random);
      if (milliseconds >= options.remainingMs()) return outcomes;
      await wait(milliseconds, options.signal);
      const again = await super.updateMany(
        places.map((place) => updates[place]!),
        options,
      );
      places.forEach((place, i) => {
        outcomes[place] = again[i]!;
      });
    }
  }

  protected override pass<Name extends StoreCallName>(
    name: Name,
    ...args: Parameters<Store[Name]>
  ): ReturnType<Store[Name]> {
    const call = async (): Promise<Spent | readonly UpdateOutcome[]> => await super.pass(name, ...args);
    const allowance = READS.has(name) ? this.reads : this.writes;
    const made = this.metered(allowance, call, name === 'change' ? isRefusal : undefined);
    return made as ReturnType<Store[Name]>;
  }

  protected async metered<T extends Spent | readonly UpdateOutcome[]>(
    allowance: Allowance,
    call: () => Promise<T>,
    mayRetry: (error: StoreError) => boolean = () => true,
  ): Promise<T> {
    const result = await this.limit(async () => {
      for (let debtMs = allowance.debtMs(); debtMs > 0; debtMs = allowance.debtMs()) await this.runtime.wait(debtMs);
      return await retrying(call, {
        isRetryable: (error) => isRetryableStoreError(error) && mayRetry(error),
        ...this.runtime,
      });
    });
    const { rcu = 0, wcu = 0 } = spentBy(result);
    this.rcu += rcu;
    this.wcu += wcu;
    allowance.spend(allowance === this.reads ? rcu : wcu);
    return result;
  }
}

export class MeteredStore extends MeteredCalls<Store & ScanSource> implements ScanSource {
  scan(request: ScanRequest): Promise<ScanPage> {
    return this.metered(this.reads, () => this.inner.scan(request));
  }
}

function isRetryableOutcome(outcome: UpdateOutcome): boolean {
  return !outcome.applied && isRetryableStoreError(outcome.error);
}

/**
 * A token bucket, charged after each call. Callers have to wait out a debt. At most one second of unused units is kept.
 */
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

  debtMs(): number {
    if (this.unitsPerSecond === undefined) return 0;
    const now = this.now();
    const earned = ((now - this.countedAt) / 1000) * this.unitsPerSecond;
    this.tokens = Math.min(this.unitsPerSecond, this.tokens + earned);
    this.countedAt = now;
    return this.tokens >= 0 ? 0 : Math.ceil((-this.tokens / this.unitsPerSecond) * 1000);
  }
}
