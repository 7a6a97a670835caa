import { LEASE_MS } from '../registry/reader-lease.ts';
import { sleep } from '../retry.ts';
import type { MigrateOptions } from './migrate-types.ts';
import { type MigratePlace, StoppedRun } from './walks/place.ts';

/** The waits of a migration, within a call or between two of them. */

/**
 * How long an item is written before readers may take it that every replica of the table, and of its indexes, shows it. DynamoDB
 * says that reads that are eventually consistent are so within a second as a rule, and promises no bound. Ten times that costs a
 * migration seconds, and sessions rely on the same (`indexGraceMs`).
 */
export const REPLICA_LAG_MS = 10_000;

type Waiting = NonNullable<MigratePlace['waiting']>;

/** Added to a wait between two calls: their clocks may differ by some seconds. */
const CLOCKS_DIFFER_MS = 5_000;

/** The waits of one run. Each is named, so that the call that goes on knows what the call before has waited for. */
export class Waits {
  constructor(
    private readonly options: Pick<MigrateOptions, 'wait' | 'waitsBetweenCalls' | 'resume' | 'serverTime' | 'now'>,
  ) {}

  /** Waits for the leases of readers that began before this run saw what it names. */
  async leases(names: readonly string[]): Promise<void> {
    // rule: run-waits-for-a-full-lease
    await this.pass(LEASE_MS, names);
  }

  /** Waits until every replica shows what was written last. */
  async replicas(names: readonly string[]): Promise<void> {
    // rule: ready-is-on-every-replica
    await this.pass(
      REPLICA_LAG_MS,
      names.map((name) => `shown ${name}`),
    );
  }

  /** The time by DynamoDB's clock where it tells: calls of one migration may be made on several machines. */
  async now(): Promise<number> {
    const { serverTime, now = Date.now } = this.options;
    return (await serverTime?.()) ?? now();
  }

  /** Throws where its caller is to wait between two calls. A timer goes on where the wall clock is set. */
  private async pass(milliseconds: number, names: readonly string[]): Promise<void> {
    const { wait = sleep, waitsBetweenCalls = false, resume } = this.options;
    // A timer may end within the millisecond before.
    if (!waitsBetweenCalls) return await wait(milliseconds + 1);
    const waiting = waitingFor(names, milliseconds, resume?.waiting, await this.now());
    if (waiting !== undefined) throw new StoppedRun({ waiting });
  }
}

/**
 * The wait that is left; undefined where the call before has waited for the same long enough. By a clock that was set
 * back since then it is waited for once more.
 */
function waitingFor(
  seen: readonly string[],
  milliseconds: number,
  before: Waiting | undefined,
  nowMs: number,
): Waiting | undefined {
  const forMs = milliseconds + CLOCKS_DIFFER_MS;
  const isSame = before !== undefined && seen.every((name) => before.seen.includes(name)) && nowMs >= before.sinceMs;
  if (isSame && nowMs - before.sinceMs >= forMs) return undefined;
  return { seen: [...seen], sinceMs: isSame ? before.sinceMs : nowMs, forMs };
}

/** Seconds until the next call. */
export function waitSeconds({ waiting }: MigratePlace, nowMs: number): number {
  if (waiting === undefined) return 1;
  const { sinceMs, forMs = LEASE_MS + CLOCKS_DIFFER_MS } = waiting;
  return Math.ceil(Math.max(0, sinceMs + forMs - nowMs) / 1000);
}
