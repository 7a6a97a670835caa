import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Runs something against a table that answers at once, whatever it is asked, from a process of its own: what is left is the
 * client's work. `delayMs` holds each answer up so long.
 */
export async function withFreeTable<T>(run: (endpoint: string) => Promise<T>, delayMs = 0): Promise<T> {
  const program = fileURLToPath(new URL('free-table-child.js', import.meta.url));
  const child = spawn(process.execPath, [program, String(delayMs)], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    return await run(`http://127.0.0.1:${String(port).trim()}`);
  } finally {
    child.kill();
  }
}
