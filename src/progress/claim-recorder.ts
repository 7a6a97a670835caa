import { randomUUID } from 'node:crypto';
import type { ChangeRecord } from '../items/change-record.ts';
import type { TableNames } from '../model/compiled.ts';
import type { Store } from '../store/port.ts';
import { type Claim, claimOf } from './claims.ts';
import { claimsItem } from './claims-item.ts';

/** Options of a recorder of claims. */
export interface ClaimRecorderOptions {
  table: TableNames;
  /** The table. */
  store: Pick<Store, 'put'>;
  /** Names the consumer. Default: a random id. */
  id?: string | undefined;
  /** Milliseconds between two writes. Default 10,000. */
  intervalMs?: number | undefined;
  /**
   * Whether claims of the same shard are joined, one after the other, and hold all between their ends: only of a consumer that reads the
   * shard by an iterator of its own, so that nothing lies between two of its batches.
   */
  joins?: boolean | undefined;
  /** Clock in milliseconds since 1970. Default: the machine's. */
  now?: (() => number) | undefined;
  /** Called when claims could not be written: they are written with the next ones. */
  onError?: ((error: unknown) => void) | undefined;
}

const INTERVAL_MS = 10_000;
/** Claims of one item: so many fit into 1 KB, so that a write takes one unit. */
const CLAIMS_A_WRITE = 36;
/** Claims that are kept while they cannot be written; those beyond are lost, and the sweep settles what they held. */
const MOST_KEPT = 10_000;

/**
 * Leaves in the table what a consumer has applied: `cover/<ms>/<id>`, appended, one unit in ten seconds for up to four batches a
 * second. A failed write is no failure of the consumer: what nobody claims is settled once more.
 */
export class ClaimRecorder {
  private claims: Claim[] = [];
  /** The newest claim of each shard, which may go on. */
  private readonly open = new Map<string, Claim>();
  private readonly id: string;
  private readonly intervalMs: number;
  private readonly now: () => number;
  private writtenAtMs = Number.NEGATIVE_INFINITY;
  private newestKeyMs = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly options: ClaimRecorderOptions) {
    const { id = randomUUID(), intervalMs = INTERVAL_MS, now = Date.now } = options;
    this.id = id;
    this.intervalMs = intervalMs;
    this.now = now;
  }

  /**
   * Claims records that are applied, in their order: all that a shard holds for the projector from the first of them to the last, as far as
   * the consumer was given them. Call it after applying, never before.
   */
  claim(records: readonly Pick<ChangeRecord, 'sequenceNumber' | 'stream'>[], shardId = ''): void {
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

  /** Writes what is claimed, if the last write is long enough ago. */
  async writeIfDue(): Promise<void> {
    if (this.claims.length > 0 && this.now() - this.writtenAtMs >= this.intervalMs) await this.write();
  }

  /** Writes what is claimed when the next write is due. */
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

  /** Writes all that is claimed, now. */
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
      // Each write is an item of its own: none takes the place of another.
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
