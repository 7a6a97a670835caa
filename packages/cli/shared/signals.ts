import { constants } from 'node:os';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { printableLines } from '../../../src/foundation/printable.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { createController, pause } from '../../../src/stream/concurrency.ts';
import { commandFailure, failureText } from './failure.ts';
import { isRunByNpx } from './settings.ts';

/** Waits that end early when the work is to stop. */
export interface Stopping {
  /** Aborted by the first signal. */
  signal: AbortSignal;
  /** The signal ends a wait in progress; later waits last their full milliseconds. */
  wait(milliseconds: number): Promise<void>;
  /** Removes the handlers. */
  release(): void;
}

/** Like `stopOnSignal`, for work that polls a signal. */
export function createStopSignal(): Stopping {
  const controller = createController();
  const { signal } = controller;
  const release = stopOnSignal(async () => controller.abort());
  const wait = (milliseconds: number): Promise<void> =>
    signal.aborted ? sleep(milliseconds) : pause(milliseconds, signal);
  return { signal, wait, release };
}

/** Asked at start: the parent may be gone later. */
const PARENT = process.ppid;
const PARENT_POLL_MS = 250;
/** Milliseconds for work to end; every command ends within five seconds. */
const MOST_STOP_MS = 4_000;
/** Milliseconds of the grace period for a projector's batch. */
export const STOP_GRACE_MS = 2_500;
/** A shell adds this to the signal's number. */
const SIGNAL_STATUS = 128;

/**
 * Calls `stop` on the first SIGINT or SIGTERM; a second one, or four seconds, end the process at once. Under npx, `stop` is called when npx
 * ends, which passes signals only to its shell. Returns what removes the handlers.
 */
export function stopOnSignal(stop: () => Promise<unknown>): () => void {
  let asked = false;
  let overdue: NodeJS.Timeout | undefined;
  const beginStop = (signal: NodeJS.Signals): void => {
    asked = true;
    overdue = setTimeout(() => exitAsAfter(signal), MOST_STOP_MS);
    overdue.unref();
    // The run that ends throws and reports the same error.
    stop().catch(() => undefined);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!asked) {
      beginStop(signal);
      return;
    }
    removeHandlers();
    process.kill(process.pid, signal);
  };
  const watch = setInterval(() => {
    if (asked || !isRunByNpx()) clearInterval(watch);
    else if (process.ppid !== PARENT) beginStop('SIGTERM');
  }, PARENT_POLL_MS);
  watch.unref();
  const removeHandlers = (): void => {
    clearInterval(watch);
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return removeHandlers;
}

/** 143 after SIGTERM, 130 after SIGINT. */
function exitAsAfter(signal: NodeJS.Signals): never {
  const error = new EdgeloomError(
    'stopped',
    `The work did not end within ${MOST_STOP_MS / 1000} seconds of ${signal}.`,
    'It is cut off as by a crash: run the command again.',
  );
  if (process.argv.includes('--json'))
    process.stdout.write(`${printableLines(JSON.stringify(commandFailure(error)))}\n`);
  process.stderr.write(failureText(error, false));
  process.exit(SIGNAL_STATUS + constants.signals[signal]);
}
