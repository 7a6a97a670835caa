import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { EngineCommand } from './command.ts';

/** An engine's process. */
export interface EngineProcess {
  /** Resolves when it is gone. */
  ended: Promise<void>;
  /** Whether it is gone. */
  hasEnded(): boolean;
  /** The last that it wrote to its error output. */
  errorOutput(): string;
  /** Ends it and waits until it is gone. Calling it again is fine. */
  stop(): Promise<void>;
}

/**
 * Runs the engine under a shell that ends it when this process's end of a pipe closes. The kernel closes it however
 * this process ends, so not even `kill -9` leaves an engine behind. An engine that does not heed the request within 5 s
 * is killed, and its scratch folder is removed. (`read` is part of the shell: a guard made of it leaves nothing behind either.)
 */
const WATCHDOG = `
scratch=$1
shift
exec 3<&0
"$@" 3<&- &
engine=$!
(
  read -r _ <&3
  kill $engine
  for second in 1 2 3 4 5; do sleep 1; done
  kill -9 $engine
) >/dev/null 2>&1 &
guard=$!
exec 3<&-
wait $engine
status=$?
kill $guard 2>/dev/null
if [ -n "$scratch" ]; then rm -rf "$scratch"; fi
exit $status
`;

const OUTPUT_CHARACTERS = 2000;

/** Starts an engine's process. It ends with this one, and does not keep it alive. */
export function spawnEngine(command: EngineCommand): EngineProcess {
  // In a group of its own: Ctrl-C in the terminal reaches this process only, which can then finish its batch.
  const child = spawn('/bin/sh', ['-c', WATCHDOG, 'sh', command.scratchDir ?? '', command.file, ...command.args], {
    cwd: command.cwd,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let output = '';
  let hasEnded = false;
  child.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS);
  });
  // The pipe breaks when the engine ends by itself, which `ended` tells.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      hasEnded = true;
      resolve();
    };
    child.once('exit', end);
    child.once('error', (error) => {
      output += error.message;
      end();
    });
  });
  child.unref();
  for (const stream of [child.stdin, child.stderr]) if (stream instanceof Socket) stream.unref();
  return {
    ended,
    hasEnded: () => hasEnded,
    errorOutput: () => output.trim(),
    async stop() {
      // Waiting for it has to keep this process alive.
      if (!hasEnded) child.ref();
      child.stdin.end();
      await ended;
    },
  };
}
