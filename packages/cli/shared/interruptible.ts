import { startProgress } from './progress.ts';
import { createStopSignal, type Stopping } from './signals.ts';

/** Lets work show its progress and stop early on Ctrl-C. */
export interface Interruptible extends Pick<Stopping, 'signal' | 'wait'> {
  /** 0 once the work should stop. */
  remainingMs(): number;
  /** `total` replaces the earlier total. */
  update(done: number, total?: number): void;
}

/** Runs work and shows its progress as `label`. */
export async function interruptible<T>(
  label: string,
  total: number,
  run: (work: Interruptible) => Promise<T>,
): Promise<T> {
  const { update, stop } = startProgress(label, total);
  const { signal, wait, release } = createStopSignal();
  const remainingMs = (): number => (signal.aborted ? 0 : Number.POSITIVE_INFINITY);
  try {
    return await run({ signal, wait, remainingMs, update });
  } finally {
    release();
    stop();
  }
}
