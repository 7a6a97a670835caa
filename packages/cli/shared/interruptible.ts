import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { startProgress } from './progress.ts';
import { createStopSignal, STOP_GRACE_MS, type Stopping } from './signals.ts';

/** Lets work show its progress and stop early on Ctrl-C. */
export interface Interruptible extends Pick<Stopping, 'signal' | 'wait'> {
  /** 0 once the work should stop. */
  remainingMs(): number;
  /** Aborted shortly after `signal`, for work that would take too long to stop, such as a wait for a rate. */
  cutOff: AbortSignal;
  /** `total` replaces the earlier total. */
  update(done: number, total?: number): void;
}

export async function interruptible<T>(
  label: string,
  total: number,
  run: (work: Interruptible) => Promise<T>,
): Promise<T> {
  const { update, stop } = startProgress(label, total);
  const { signal, wait, release } = createStopSignal();
  const remainingMs = (): number => (signal.aborted ? 0 : Number.POSITIVE_INFINITY);
  const cutOff = new AbortController();
  let overdue: NodeJS.Timeout | undefined;
  const cutOffSoon = (): void => {
    overdue = setTimeout(() => cutOff.abort(stopped()), STOP_GRACE_MS);
  };
  signal.addEventListener('abort', cutOffSoon, { once: true });
  try {
    // A wait that begins after the signal would otherwise keep the process alive for its full time.
    const waitUntilCutOff = (milliseconds: number): Promise<void> =>
      signal.aborted ? sleep(milliseconds, cutOff.signal) : wait(milliseconds);
    return await run({ signal, wait: waitUntilCutOff, remainingMs, cutOff: cutOff.signal, update });
  } finally {
    clearTimeout(overdue);
    signal.removeEventListener('abort', cutOffSoon);
    release();
    stop();
  }
}

function stopped(): EdgeloomError {
  return new EdgeloomError('stopped', 'The work was stopped before its end.', 'Run the command again.');
}
