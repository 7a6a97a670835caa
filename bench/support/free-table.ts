import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** How a free table answers. */
interface FreeTableOptions {
  /** Milliseconds before each answer. Default: 0. */
  delayMs?: number;
  /** The answers to calls, by the names of the calls. Default: an answer that says "written" or "nothing there". */
  answers?: Readonly<Record<string, object>>;
}

/**
 * Runs something against a table that answers at once, whatever it is asked, from a process of its own: what is left is the
 * client's work.
 */
export async function withFreeTable<T>(
  run: (endpoint: string) => Promise<T>,
  { delayMs = 0, answers = {} }: FreeTableOptions = {},
): Promise<T> {
  const program = fileURLToPath(new URL('free-table-child.js', import.meta.url));
  const args = [program, String(delayMs), JSON.stringify(answers)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    return await run(`http://127.0.0.1:${String(port).trim()}`);
  } finally {
    child.kill();
  }
}
