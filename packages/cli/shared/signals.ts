import { constants } from 'node:os';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { printableLines } from '../../../src/foundation/printable.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { createController, pause } from '../../../src/stream/concurrency.ts';
import { commandFailure, failureText } from './failure.ts';
import { isRunByNpx } from './settings.ts';

/** Waiting that ends early where the work is to stop. */
export interface Stopping {
  /** Aborted by the first signal. */
  signal: AbortSignal;
  /** Waits for a number of milliseconds. The signal ends a wait in progress; later waits last their full time. */
  wait(milliseconds: number): Promise<void>;
  /** Takes the handlers away. */
  release(): void;
}

/** Like `stopOnSignal`, for work that looks at a signal from time to time. */
export function createStopSignal(): Stopping {
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
/** How long the work in hand has to end in good order; a second is left of the five in which every command ends. */
const MOST_STOP_MS = 4_000;
/** The part of the grace period that a projector has for its present batch, in milliseconds. */
export const STOP_GRACE_MS = 2_500;
/** A shell adds this to the number of the signal that ended its program. */
const SIGNAL_STATUS = 128;

/**
 * Calls `stop` on the first SIGINT or SIGTERM, which then has to end the work in good order; a second one ends the
 * process at once. Work that does not end within four seconds ends with the process, as by the signal: whatever is cut off is
 * as after a crash. Under npx, `stop` is called also when npx has ended: it passes a signal on to its shell only. Gives
 * a function that takes the handlers away.
 */
export function stopOnSignal(stop: () => Promise<unknown>): () => void {
  let asked = false;
  let overdue: NodeJS.Timeout | undefined;
  const beginStop = (signal: NodeJS.Signals): void => {
    asked = true;
    overdue = setTimeout(() => exitAsAfter(signal), MOST_STOP_MS);
    overdue.unref();
    // The run that ends throws the same error, and it is reported there.
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

/** Ends the process with what a shell says of a program that a signal has ended: 143 after SIGTERM, 130 after SIGINT. */
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
