import { backoffMs } from '../../../foundation/retry.ts';
import type { WriteContext } from './send.ts';

/**
 * How long a write is tried again that fails because others change what it had looked at, in seconds. Among n updates of one item
 * at once each round lets one through, so a limit of tries would fail the last ones although all are served in turn.
 */
export const CONTENTION_SECONDS = 10;
/** The longest pause between two tries, in milliseconds: another update takes two calls. */
const LONGEST_PAUSE_MS = 500;

/** The tries of one write. */
export class Contention {
  private readonly beganMs = performance.now();

  constructor(
    private readonly context: Pick<WriteContext, 'wait'>,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Waits before another try, after this many; false: it has taken too long. */
  async wait(attempts: number): Promise<boolean> {
    if (performance.now() - this.beganMs >= CONTENTION_SECONDS * 1000) return false;
    await this.context.wait(Math.min(backoffMs(attempts), Math.random() * LONGEST_PAUSE_MS), this.signal);
    return true;
  }
}
