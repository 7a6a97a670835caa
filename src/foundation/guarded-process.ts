import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface GuardedCommand {
  file: string;
  args?: readonly string[];
  /** Default: this process's folder. */
  cwd?: string;
  environment?: NodeJS.ProcessEnv;
  /** A folder that exists as long as the program. */
  scratch?: ScratchFolder;
  /** Before the kill. Default 0: killed at once. */
  graceSeconds?: number;
  onOutput?: (chunk: Buffer) => void;
  onErrorOutput: (chunk: Buffer) => void;
}

export interface ScratchFolder {
  path: string;
  /** Copied into it under its own name. */
  seed: string;
}

export interface ProcessEnd {
  /** As Lambda words it: `exit status 1`, `signal: killed`. */
  reason: string;
}

/**
 * The kernel closes the pipe however this process ends, so even `kill -9` leaves nothing behind. The shell makes the
 * scratch folder, which would stay if this process were killed before starting the shell, and removes it.
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

/** A shell adds this to a signal's number. */
const SIGNAL_STATUS = 128;
const SIGNALS: ReadonlyMap<number, string> = new Map([
  [6, 'aborted'],
  [9, 'killed'],
  [11, 'segmentation fault'],
  [15, 'terminated'],
]);

export class GuardedProcess {
  /** Resolves once everything that the program started has ended. */
  readonly ended: Promise<ProcessEnd>;
  private readonly child: ChildProcess;
  private isGone = false;

  constructor(command: GuardedCommand) {
    const { file, args = [], cwd, environment, scratch, graceSeconds = 0, onOutput, onErrorOutput } = command;
    const { path = '', seed = '' } = scratch ?? {};
    const shellArgs = ['-c', WATCHDOG, 'sh', path, seed, String(graceSeconds), file, ...args];
    // In its own group: Ctrl-C reaches only this process, which can finish its batch.
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

  /** Of the guarding shell and the program. */
  get processGroup(): number | undefined {
    return this.child.pid;
  }

  unref(): void {
    this.child.unref();
    for (const stream of this.child.stdio) if (stream instanceof Socket) stream.unref();
  }

  async stop(): Promise<void> {
    // Waiting has to keep this process alive.
    if (!this.isGone) this.child.ref();
    this.child.stdin?.end();
    await this.ended;
  }

  async kill(): Promise<void> {
    killGroup(this.child);
    await this.ended;
  }

  private async end(): Promise<ProcessEnd> {
    const closed = once(this.child, 'close').catch(() => undefined);
    try {
      const [status, signal] = (await once(this.child, 'exit')) as [number | null, NodeJS.Signals | null];
      // Its children would continue to run.
      killGroup(this.child);
      // A process that has left the group may hold the output open.
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
