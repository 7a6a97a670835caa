import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The command as it is built. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** The checkout: model files there find the package by its own name. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Options of a bash that a test starts. With a pipe for its input, the outermost bash takes the pipe for a network connection and
 * reads `~/.bashrc`, which may put other programs before those that the test has put on `PATH`.
 */
export const BARE = ['--norc'];

/** What a run of the command came to. */
export interface CommandRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `edgeloom` with arguments, and text for its standard input, and waits for its end. */
export function edgeloom(args: readonly string[], options: { input?: string; cwd?: string } = {}): Promise<CommandRun> {
  return runNode([MAIN, ...args], options);
}

/** Runs Node with arguments, and text for its standard input, and waits for its end. */
export async function runNode(args: readonly string[], { input = '', cwd = ROOT } = {}): Promise<CommandRun> {
  const child = spawn(process.execPath, [...args], { cwd, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  // A character may be split between two chunks.
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** A running `edgeloom dev`. */
export interface DevServer {
  endpoint: string;
  table: string;
  /** All that it printed, and all that it said besides. */
  output(): { stdout: string; stderr: string };
  /** Sends SIGINT and gives the exit code. */
  interrupt(): Promise<number | null>;
}

/** Starts `edgeloom dev --json` and waits until table and projector are ready. */
export async function startDev(args: readonly string[] = [], cwd = ROOT): Promise<DevServer> {
  const child = spawn(process.execPath, [MAIN, 'dev', '--json', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let output = '';
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ready = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('\n')) resolve(output);
    });
  });
  const first = await Promise.race([ready, closed]);
  if (typeof first !== 'string') throw new Error(`edgeloom dev ended with ${first[0]}: ${output}${errors}`);
  const { endpoint, table } = JSON.parse(first) as { endpoint: string; table: string };
  return {
    endpoint,
    table,
    output: () => ({ stdout: output, stderr: errors }),
    interrupt: async () => {
      child.kill('SIGINT');
      return (await closed)[0];
    },
  };
}
