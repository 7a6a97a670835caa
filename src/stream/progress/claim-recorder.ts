import { randomUUID } from 'node:crypto';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { type Claim, claimOf } from './claims.ts';
import { claimsItem } from './claims-item.ts';

export interface ClaimRecorderOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  table: TableNames;
  store: Pick<Store, 'put'>;
  id?: string | undefined;
  /** In milliseconds. Default 10,000. */
  intervalMs?: number | undefined;
  /**
   * Whether the shard's next claim extends this one. Only for a consumer that reads the shard with its own iterator, so
   * that no record lies between two of its batches.
   */
  joins?: boolean | undefined;
  onError?: ((error: unknown) => void) | undefined;
}

const INTERVAL_MS = 10_000;
/** They fit into 1 KB, so that a write takes one unit. */
const CLAIMS_A_WRITE = 36;
/** While writes fail. The sweep reconciles the records of claims that are lost. */
const MOST_KEPT = 10_000;

/**
 * Writes items `cover/<ms>/<id>`: one unit in ten seconds for up to four batches a second. A failed write doesn't fail
 * the consumer: the sweep reconciles unclaimed records.
 */
export class ClaimRecorder {
  private claims: Claim[] = [];
  private readonly open = new Map<string, Claim>();
  private readonly id: string;
  private readonly intervalMs: number;
  private readonly now: Runtime['now'];
  private writtenAtMs = Number.NEGATIVE_INFINITY;
  private newestKeyMs = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly options: ClaimRecorderOptions) {
    const { id = randomUUID(), intervalMs = INTERVAL_MS } = options;
    this.id = id;
    this.intervalMs = intervalMs;
    this.now = runtimeOf(options).now;
  }

  /** Claims every record for the projector from the first to the last. Call it after applying them, never before. */
  addClaim(records: readonly Pick<ChangeRecord, 'sequenceNumber' | 'stream'>[], shardId = ''): void {
    const { joins = false } = this.options;
    const [made] = claimOf(records);
    if (made === undefined) return;
    const before = joins ? this.open.get(shardId) : undefined;
    if (before !== undefined) {
      before.last = made.last;
      before.records += made.records;
      return;
    }
    const claim = { ...made, ...(joins && { isWhole: true }) };
    this.claims.push(claim);
    this.open.set(shardId, claim);
    if (this.claims.length > MOST_KEPT) this.claims.shift();
  }

  async writeIfDue(): Promise<void> {
    if (this.claims.length > 0 && this.now() - this.writtenAtMs >= this.intervalMs) await this.write();
  }

  schedule(): void {
    if (this.timer !== undefined || this.claims.length === 0) return;
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        this.writing = this.write().then(() => this.schedule());
      },
      Math.max(0, this.writtenAtMs + this.intervalMs - this.now()),
    );
    this.timer.unref();
  }

  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.writing;
    if (this.claims.length > 0) await this.write();
  }

  private async write(): Promise<void> {
    const { claims, options } = this;
    this.claims = [];
    this.open.clear();
    this.writtenAtMs = this.now();
    for (let start = 0, end = 0; start < claims.length; start = end) {
      const { stream } = claims[start]!;
      const others = claims.findIndex((claim, i) => i > start && claim.stream !== stream);
      end = Math.min(start + CLAIMS_A_WRITE, others < 0 ? claims.length : others);
      const some = claims.slice(start, end);
      // Each write has its own key, so that no claims are overwritten.
      this.newestKeyMs = Math.max(this.now(), this.newestKeyMs + 1);
      try {
        await options.store.put(claimsItem(options.table, this.id, some, this.newestKeyMs));
      } catch (error) {
        this.claims.unshift(...claims.slice(start));
        options.onError?.(error);
        return;
      }
    }
  }
}
