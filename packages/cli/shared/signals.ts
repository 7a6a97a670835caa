import { constants } from 'node:os';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { printableLines } from '../../../src/foundation/printable.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { pause } from '../../../src/stream/concurrency.ts';
import { commandFailure, failureText } from './failure.ts';
import { isRunByNpx } from './settings.ts';

export interface Stopping {
  /** Aborted by the first SIGINT or SIGTERM, with a `stopped` error as its reason. */
  signal: AbortSignal;
  /** Aborted shortly after `signal`, for work that would take too long to stop, such as a wait for a rate. */
  cutOff: AbortSignal;
  /** Ends early on `signal`. A wait that begins after the signal rejects on `cutOff`. */
  wait(milliseconds: number): Promise<void>;
  release(): void;
}

/** Like `stopOnSignal`, for work that polls an `AbortSignal`. */
export function createStopSignal(): Stopping {
  const [stopping, cuttingOff] = [new AbortController(), new AbortController()];
  const [signal, cutOff] = [stopping.signal, cuttingOff.signal];
  let overdue: NodeJS.Timeout | undefined;
  const removeHandlers = stopOnSignal(async () => {
    stopping.abort(stopped('Run it again.'));
    overdue = setTimeout(() => cuttingOff.abort(signal.reason), STOP_GRACE_MS);
  });
  return {
    ...{ signal, cutOff },
    wait: (milliseconds) => (signal.aborted ? sleep(milliseconds, cutOff) : pause(milliseconds, signal)),
    release: () => {
      clearTimeout(overdue);
      removeHandlers();
    },
  };
}

export function stopped(hint: string, message = 'The command was stopped before its end.'): EdgeloomError {
  return new EdgeloomError('stopped', message, hint);
}

/** Read at start: when the parent ends, the process gets another parent. */
const PARENT = process.ppid;
const PARENT_POLL_MS = 250;
/** Milliseconds for work to stop, so that every command ends within five seconds. */
const MOST_STOP_MS = 4_000;
/** Milliseconds that a batch or a page may take to finish after the signal. */
export const STOP_GRACE_MS = 2_500;
/** A shell's exit status is this plus the signal's number. */
const SIGNAL_STATUS = 128;

/**
 * Calls `stop` on the first SIGINT or SIGTERM. The process ends at once on a second signal, or after four seconds.
 * Under npx, which passes signals only to its shell, `stop` is also called when npx ends. Returns a function that
 * removes the handlers.
 */
export function stopOnSignal(stop: (signal: NodeJS.Signals) => Promise<unknown>): () => void {
  let asked = false;
  let overdue: NodeJS.Timeout | undefined;
  const beginStop = (signal: NodeJS.Signals): void => {
    asked = true;
    overdue = setTimeout(() => exitAsAfter(signal), MOST_STOP_MS);
    overdue.unref();
    // The stopped work reports the error itself.
    stop(signal).catch(() => undefined);
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

function exitAsAfter(signal: NodeJS.Signals): never {
  const message = `The work did not end within ${MOST_STOP_MS / 1000} seconds of ${signal}.`;
  exitOn(signal, stopped('It is cut off as by a crash: run the command again.', message));
}

function exitOn(signal: NodeJS.Signals, error: EdgeloomError): never {
  if (process.argv.includes('--json'))
    process.stdout.write(`${printableLines(JSON.stringify(commandFailure(error)))}\n`);
  // Ctrl-C and progress leave the cursor within a line.
  process.stderr.write(`${process.stderr.isTTY ? '\n' : ''}${failureText(error)}`);
  process.exit(SIGNAL_STATUS + constants.signals[signal]);
}

/** Runs work that may end anywhere. On SIGINT or SIGTERM, reports the interruption with the hint and ends the process. */
export async function endingOnSignal<T>(hint: string, run: () => Promise<T>): Promise<T> {
  const release = stopOnSignal(async (signal) =>
    exitOn(signal, stopped(hint, `The command was interrupted by ${signal}.`)),
  );
  try {
    return await run();
  } finally {
    release();
  }
}
