import { isRunByNpx } from '../../config.ts';
import { sleep } from '../../retry.ts';
import { createController, pause } from '../../stream/concurrency.ts';

/** Waiting that ends early where the work is to stop. */
export interface Stopping {
  /** Aborted by the first signal. */
  signal: AbortSignal;
  /** Waits so many milliseconds; a wait in progress ends with the signal, later ones are as long as they say. */
  wait(milliseconds: number): Promise<void>;
  /** Takes the handlers away. */
  release(): void;
}

/** Like `stopOnSignal`, for work that looks at a signal from time to time. */
export function stopping(): Stopping {
  const controller = createController();
  const { signal } = controller;
  const release = stopOnSignal(async () => controller.abort());
  const wait = (milliseconds: number): Promise<void> =>
    signal.aborted ? sleep(milliseconds) : pause(milliseconds, signal);
  return { signal, wait, release };
}

/** Asked when the process starts: the parent may be gone before there is anything to stop. */
const PARENT = process.ppid;
const PARENT_POLL_MS = 250;

/**
 * Calls `stop` on the first SIGINT or SIGTERM, which then has to end the work in good order; a second one ends the
 * process at once. Under npx, `stop` is called also when npx has ended: it passes a signal on to its shell only. Gives
 * a function that takes the handlers away.
 */
export function stopOnSignal(stop: () => Promise<unknown>): () => void {
  let asked = false;
  const ask = (): void => {
    asked = true;
    // What stopping throws is thrown by the run that it ends as well, and told there.
    stop().catch(() => undefined);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!asked) {
      ask();
      return;
    }
    release();
    process.kill(process.pid, signal);
  };
  const watch = setInterval(() => {
    if (asked || !isRunByNpx()) clearInterval(watch);
    else if (process.ppid !== PARENT) ask();
  }, PARENT_POLL_MS);
  watch.unref();
  const release = (): void => {
    clearInterval(watch);
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return release;
}
