import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface GuardedCommand {
  file: string;
  args?: readonly string[];
  /** Default: this process's working directory. */
  cwd?: string;
  environment?: NodeJS.ProcessEnv;
  /** A folder that exists as long as the program. */
  scratch?: ScratchFolder;
  /** Seconds between the request to end and the kill. Default 0: killed at once. */
  graceSeconds?: number;
  onOutput?: (chunk: Buffer) => void;
  onErrorOutput: (chunk: Buffer) => void;
}

/** Made by the guard before the program starts, and removed when it is gone. */
export interface ScratchFolder {
  /** Must not exist yet. */
  path: string;
  /** A file that is copied into it under its own name. */
  seed: string;
}

export interface ProcessEnd {
  /** As Lambda words it: `exit status 1`, `signal: killed`. */
  reason: string;
}

/**
 * Runs the program under a shell that ends it when this process's end of a pipe closes. The kernel closes the pipe
 * however this process ends, so that even `kill -9` leaves nothing behind. The shell exits with the program's status.
 * (`read` is built into the shell, and the guard sleeps in steps of one second, so it leaves nothing behind either.)
 *
 * The shell makes the scratch folder itself: if this process made it and were killed before starting the shell, it
 * would stay. The shell survives signals that ask it to end, which may be sent to a whole process tree, and then
 * removes the folder.
 */
const WATCHDOG = `
scratch=$1
seed=$2
grace=$3
shift 3
trap : HUP INT TERM
exec 3<&0
if [ -n "$scratch" ] && ! { mkdir -m 700 "$scratch" && cp "$seed" "$scratch/"; }; then
  rm -rf "$scratch"
  exit 1
fi
"$@" 3<&- </dev/null &
program=$!
(
  read -r _ <&3
  if [ "$grace" -gt 0 ]; then kill $program; fi
  while [ "$grace" -gt 0 ]; do
    sleep 1
    grace=$((grace - 1))
  done
  kill -9 $program
) >/dev/null 2>&1 &
guard=$!
exec 3<&-
# A signal that is caught ends a wait early.
while wait $program; status=$?; [ "$status" -gt 128 ] && kill -0 $program 2>/dev/null; do :; done
kill $guard 2>/dev/null
if [ -n "$scratch" ]; then rm -rf "$scratch"; fi
exit $status
`;

/** How long to wait for a dead process's output. */
const CLOSE_MS = 1_000;

/** A shell adds this to the number of the signal that ended its program. */
const SIGNAL_STATUS = 128;
const SIGNALS: ReadonlyMap<number, string> = new Map([
  [6, 'aborted'],
  [9, 'killed'],
  [11, 'segmentation fault'],
  [15, 'terminated'],
]);

export class GuardedProcess {
  /** Resolves when it and everything it started is gone. */
  readonly ended: Promise<ProcessEnd>;
  private readonly child: ChildProcess;
  private isGone = false;

  constructor(command: GuardedCommand) {
    const { file, args = [], cwd, environment, scratch, graceSeconds = 0, onOutput, onErrorOutput } = command;
    const { path = '', seed = '' } = scratch ?? {};
    const shellArgs = ['-c', WATCHDOG, 'sh', path, seed, String(graceSeconds), file, ...args];
    // In its own group: Ctrl-C in the terminal only reaches this process, which can then finish its batch.
    const stdio = ['pipe', onOutput === undefined ? 'ignore' : 'pipe', 'pipe'] as const;
    const child = spawn('/bin/sh', shellArgs, { cwd, env: environment, detached: true, stdio: [...stdio] });
    this.child = child;
    if (onOutput !== undefined) child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onErrorOutput);
    // The pipe breaks when the program ends, which `ended` reports.
    child.stdin?.on('error', () => undefined);
    this.ended = this.end();
  }

  get hasEnded(): boolean {
    return this.isGone;
  }

  /** Its process group: the guarding shell and the program. */
  get processGroup(): number | undefined {
    return this.child.pid;
  }

  unref(): void {
    this.child.unref();
    for (const stream of this.child.stdio) if (stream instanceof Socket) stream.unref();
  }

  /** Asks it to end, kills it after the grace period, and waits until it is gone. Idempotent. */
  async stop(): Promise<void> {
    // Waiting for it has to keep this process alive.
    if (!this.isGone) this.child.ref();
    this.child.stdin?.end();
    await this.ended;
  }

  /** Kills it with everything it started, and waits until it is gone. Idempotent. */
  async kill(): Promise<void> {
    killGroup(this.child);
    await this.ended;
  }

  private async end(): Promise<ProcessEnd> {
    const closed = once(this.child, 'close').catch(() => undefined);
    try {
      const [status, signal] = (await once(this.child, 'exit')) as [number | null, NodeJS.Signals | null];
      // Child processes of the program would continue to run.
      killGroup(this.child);
      // Its output closes when the last of the group is dead; a process that has left the group may hold it open.
      await Promise.race([closed, delay(CLOSE_MS, undefined, { ref: false })]);
      return { reason: reasonOf(status, signal) };
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error) };
    } finally {
      this.isGone = true;
    }
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
    // ESRCH: nothing of the group is left.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
