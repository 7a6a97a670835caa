import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A program of the tests that runs as a process of its own. */
export interface Child {
  process: ChildProcess;
  /** The next line of its output; rejects with its error output where it ends before. */
  nextLine(): Promise<string>;
  /** Ends its standard input, which some programs take as the word to stop. */
  endInput(): void;
  /** Resolves when it has ended. */
  ended: Promise<void>;
}

/** Runs a TypeScript program of test/support. */
export function runChild(program: string, args: readonly string[]): Child {
  const file = new URL(program, import.meta.url).pathname;
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], { stdio: 'pipe' });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    async nextLine() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${program} said no more: ${errors}`);
      return value;
    },
    endInput: () => void child.stdin.end(),
    ended: once(child, 'exit').then(() => undefined),
  };
}
