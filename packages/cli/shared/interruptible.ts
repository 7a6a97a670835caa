import { startProgress } from './progress.ts';
import { createStopSignal, type Stopping } from './signals.ts';

export interface Interruptible extends Omit<Stopping, 'release'> {
  /** 0 once the work should stop. */
  remainingMs(): number;
  update(done: number, total?: number): void;
}

export async function interruptible<T>(
  label: string,
  total: number,
  run: (work: Interruptible) => Promise<T>,
): Promise<T> {
  const { update, stop } = startProgress(label, total);
  const { release, ...stopping } = createStopSignal();
  const remainingMs = (): number => (stopping.signal.aborted ? 0 : Number.POSITIVE_INFINITY);
  try {
    return await run({ ...stopping, remainingMs, update });
  } finally {
    release();
    stop();
  }
}
