import { backoffMs } from '../../../foundation/retry.ts';
import type { WriteContext } from './send.ts';

/** Limits the time instead of the attempts: of n concurrent updates of one item, each round lets only one through. */
export const CONTENTION_SECONDS = 10;
/** A competing update takes only two calls, so long pauses don't help. */
const LONGEST_PAUSE_MS = 500;

export class Contention {
  private readonly beganMs = performance.now();

  constructor(
    private readonly context: Pick<WriteContext, 'wait'>,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async wait(attempts: number): Promise<boolean> {
    if (performance.now() - this.beganMs >= CONTENTION_SECONDS * 1000) return false;
    await this.context.wait(Math.min(backoffMs(attempts), Math.random() * LONGEST_PAUSE_MS), this.signal);
    return true;
  }
}
