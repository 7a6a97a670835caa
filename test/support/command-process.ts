import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type CommandRun, MAIN, ROOT } from './command.ts';
import { compareDocuments } from './documents.ts';

const CHILD = fileURLToPath(new URL('./command-process-child.mjs', import.meta.url));
/** Ends what a command prints, on each of its two outputs. No command prints it: control characters are escaped. */
const MARK = '\u0000end of the command\u0000';

/**
 * A process that runs many commands, one after the other, as most of a short command's cost is the start of its process. It runs
 * `dist/cli/main.js` from its first line, and gives what the command prints and its exit code. A command that leaves something open, which
 * would keep a process of its own alive, fails. Signals, closed pipes and the start itself need a process of their own: `edgeloom`.
 */
export class CommandProcess {
  #child: ChildProcess | undefined;
  #before: Promise<unknown> = Promise.resolve();
  #runs = 0;

  /** @param main the command: of the checkout, or of an installed package. */
  constructor(private readonly main: string = MAIN) {}

  /** Runs `edgeloom` with arguments, and text for its standard input, as soon as the commands before it are done. */
  run(args: readonly string[], { input = '', cwd = ROOT } = {}): Promise<CommandRun> {
    const run = this.#before.then(() => this.#run(args, input, cwd));
    this.#before = run.catch(() => undefined);
    return run;
  }

  /** Ends the process, if a command has started it. */
  async end(): Promise<void> {
    const child = this.#child;
    if (child === undefined || !child.connected) return;
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }

  async #run(args: readonly string[], input: string, cwd: string): Promise<CommandRun> {
    this.#child ??= start(this.main);
    const child = this.#child;
    this.#runs += 1;
    if (!child.connected) throw new Error(`The process of all commands has ended, with ${child.exitCode}.`);
    return new Promise((resolve, reject) => {
      const run: CommandRun = { code: null, stdout: '', stderr: '' };
      const onStdout = (text: string): void => {
        run.stdout += text;
        look();
      };
      const onStderr = (text: string): void => {
        run.stderr += text;
        look();
      };
      const onMessage = ({ code }: { code: number }): void => {
        run.code = code;
        look();
      };
      const onClose = (code: number | null): void => {
        settled();
        reject(new Error(`edgeloom ${args.join(' ')} ended the process of all commands with ${code}: ${run.stderr}`));
      };
      const look = (): void => {
        const { code, stdout, stderr } = run;
        if (code === null || !stdout.endsWith(MARK) || !stderr.endsWith(MARK)) return;
        settled();
        const printed = stdout.slice(0, -MARK.length);
        try {
          compareDocuments(args, printed);
        } catch (error) {
          reject(error as Error);
          return;
        }
        resolve({ code, stdout: printed, stderr: stderr.slice(0, -MARK.length) });
      };
      const settled = (): void => {
        child.stdout!.off('data', onStdout);
        child.stderr!.off('data', onStderr);
        child.off('message', onMessage).off('close', onClose);
      };
      child.stdout!.on('data', onStdout);
      child.stderr!.on('data', onStderr);
      child.on('message', onMessage).on('close', onClose);
      child.send({ args, input, cwd, run: this.#runs, mark: MARK });
    });
  }
}

function start(main: string): ChildProcess {
  const child = spawn(process.execPath, [CHILD, pathToFileURL(main).href], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout!.setEncoding('utf8');
  child.stderr!.setEncoding('utf8');
  return child;
}
