import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pause } from '../../stream/concurrency.ts';

/** A program that runs a function: a runtime client and what it loads. */
export interface FunctionCommand {
  /** Its path, or its name on the PATH. */
  file: string;
  args?: readonly string[];
  /** Folder to run in. Default: this process's. */
  cwd?: string;
}

/** How a process ended. */
export interface ProcessEnd {
  /** As Lambda words it: `exit status 1`, `signal: killed`. */
  reason: string;
}

/**
 * Runs the program under a shell that kills it when this process's end of a pipe closes, so that not even `kill -9` of
 * this process leaves a function behind that runs in circles. The shell ends as the program did.
 */
const WATCHDOG = `
exec 3<&0
"$@" 3<&- </dev/null &
function=$!
(
  read -r _ <&3
  kill -9 $function
) >/dev/null 2>&1 &
guard=$!
exec 3<&-
wait $function
status=$?
kill $guard 2>/dev/null
exit $status
`;

/** How long the output of a dead process is waited for. */
const CLOSE_MS = 1_000;

/** Of a shell's exit status when its program was ended by a signal. */
const SIGNAL_STATUS = 128;
const SIGNALS: ReadonlyMap<number, string> = new Map([
  [6, 'aborted'],
  [9, 'killed'],
  [11, 'segmentation fault'],
  [15, 'terminated'],
]);

/** One process of a function. */
export class FunctionProcess {
  /** Resolves when it is gone. */
  readonly ended: Promise<ProcessEnd>;
  private readonly child: ChildProcess;

  /**
   * @param environment of the process, all of it. @param onOutput gets what it writes to its output and error output.
   */
  constructor(command: FunctionCommand, environment: NodeJS.ProcessEnv, onOutput: (chunk: Buffer) => void) {
    const args = ['-c', WATCHDOG, 'sh', command.file, ...(command.args ?? [])];
    // In a group of its own: Ctrl-C in the terminal reaches this process only, which can then finish its batch.
    const child = spawn('/bin/sh', args, { cwd: command.cwd, env: environment, detached: true, stdio: 'pipe' });
    this.child = child;
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    // The pipe breaks when the process ends, which `ended` tells.
    child.stdin.on('error', () => undefined);
    this.ended = endOf(child);
  }

  /** Its process group: the shell that guards it, and the program. */
  get processGroup(): number | undefined {
    return this.child.pid;
  }

  /** Kills it, with all that it started, and waits until it is gone. Calling it again is fine. */
  async kill(): Promise<void> {
    killGroup(this.child);
    await this.ended;
  }
}

async function endOf(child: ChildProcess): Promise<ProcessEnd> {
  const closed = once(child, 'close').catch(() => undefined);
  try {
    const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    // What it started itself would run on.
    killGroup(child);
    // Its output closes when the last of the group is dead; a process that has left the group may hold it open.
    const enough = new AbortController();
    await Promise.race([closed, pause(CLOSE_MS, enough.signal)]);
    enough.abort();
    return { reason: reasonOf(status, signal) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

function reasonOf(status: number | null, signal: NodeJS.Signals | null): string {
  if (status === null) return signal === 'SIGKILL' ? 'signal: killed' : `signal: ${signal}`;
  const name = SIGNALS.get(status - SIGNAL_STATUS);
  return name === undefined ? `exit status ${status}` : `signal: ${name}`;
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: none of the group is left.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
