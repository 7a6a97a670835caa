// The process that `command-process.ts` starts: it runs commands one after the other, each as `edgeloom` does in a process of its own. It takes
// them as messages, and sends the exit code of each.

import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

const [main] = process.argv.slice(2);
/** A command may close its connections for so long after it has printed. */
const MOST_CLOSE_MS = 120_000;
const POLL_MS = 5;

// Each is opened by its first use, and stays.
for (const stream of [process.stdout, process.stderr]) stream.write('');

process.on('message', async ({ args, input, cwd, run, mark }) => {
  process.chdir(cwd);
  process.argv = [process.execPath, main, ...args];
  process.exitCode = undefined;
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
  const listeners = process.stdout.listeners('error');
  const before = open();
  try {
    // Its own code runs with each import of another query; all that it imports is loaded once.
    await import(`${main}?run=${run}`);
    await untilClosed(before);
  } catch (error) {
    // As Node does where a program throws.
    process.stderr.write(`${error?.stack ?? error}\n`);
    process.exitCode = 1;
  }
  for (const listener of process.stdout.listeners('error')) {
    if (!listeners.includes(listener)) process.stdout.off('error', listener);
  }
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  process.stdout.write(mark);
  process.stderr.write(mark);
  process.send({ code });
});

/** Sockets, timers and whatever else keeps a process alive. */
function open() {
  return process.getActiveResourcesInfo();
}

/** A command that leaves something open would never end, had it a process of its own. */
async function untilClosed(before) {
  for (const deadline = Date.now() + MOST_CLOSE_MS; ; await delay(POLL_MS)) {
    const left = open();
    for (const name of before) {
      const at = left.indexOf(name);
      if (at >= 0) left.splice(at, 1);
    }
    if (left.length === 0) return;
    if (Date.now() > deadline) throw new Error(`The command is done, and does not end: ${left.join(', ')}`);
  }
}
