import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from './errors.ts';

export interface GuardedCommand {
  file: string;
  args?: readonly string[];
  cwd?: string;
  environment?: NodeJS.ProcessEnv;
  scratch?: ScratchFolder;
  /** Seconds from SIGTERM to SIGKILL. Default: 0, which sends only SIGKILL. */
  graceSeconds?: number;
  onOutput?: (chunk: Buffer) => void;
  onErrorOutput: (chunk: Buffer) => void;
}

export interface ScratchFolder {
  path: string;
  seed: string;
}

export interface ProcessEnd {
  /** Worded like Lambda's errors: `exit status 1`, `signal: killed`. */
  reason: string;
}

/**
 * Starts the program, and kills it when standard input closes. The kernel closes that pipe however this process ends,
 * so even `kill -9` of this process leaves nothing running. The shell also creates and removes the scratch folder: if
 * this process created the folder and was killed before it started the shell, the folder would stay.
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

const CLOSE_MS = 1_000;

const SIGNAL_STATUS = 128;
const SIGNALS: ReadonlyMap<number, string> = new Map([
  [6, 'aborted'],
  [9, 'killed'],
  [11, 'segmentation fault'],
  [15, 'terminated'],
]);

export class GuardedProcess {
  readonly ended: Promise<ProcessEnd>;
  private readonly child: ChildProcess;
  private isGone = false;

  constructor(command: GuardedCommand) {
    const { file, args = [], cwd, environment, scratch, graceSeconds = 0, onOutput, onErrorOutput } = command;
    const { path = '', seed = '' } = scratch ?? {};
    const shellArgs = ['-c', WATCHDOG, 'sh', path, seed, String(graceSeconds), file, ...args];
    // The shell gets its own process group, so that Ctrl-C reaches only this process, which first finishes its work.
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

  get processGroup(): number | undefined {
    return this.child.pid;
  }

  unref(): void {
    this.child.unref();
    for (const stream of this.child.stdio) if (stream instanceof Socket) stream.unref();
  }

  async stop(): Promise<void> {
    // Undo `unref`: this process has to stay alive while it waits.
    if (!this.isGone) this.child.ref();
    this.child.stdin?.end();
    await this.ended;
  }

  private async end(): Promise<ProcessEnd> {
    const closed = once(this.child, 'close').catch(() => undefined);
    try {
      const [status, signal] = (await once(this.child, 'exit')) as [number | null, NodeJS.Signals | null];
      // End the program's children, which would otherwise keep running.
      killGroup(this.child);
      // Don't wait for `close` alone: a process that has left the group may hold the output open.
      await Promise.race([closed, delay(CLOSE_MS, undefined, { ref: false })]);
      return { reason: reasonOf(status, signal) };
    } catch (error) {
      return { reason: messageOf(error) };
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
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
