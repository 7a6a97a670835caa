import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Item } from './images.ts';
import { saveTexts, storedTexts } from './stored-answers.ts';

interface FreeTableOptions {
  delayMs?: number;
  /** Items that GetItem and BatchGetItem find. Default: none. */
  items?: readonly Item[];
  answers?: Readonly<Record<string, object>>;
}

/**
 * The table's process does no work, so the measured work is the client's. A consumer that reads needs `items`:
 * otherwise, its reads would look cheap.
 */
export async function withFreeTable<T>(
  run: (endpoint: string) => Promise<T>,
  { delayMs = 0, items = [], answers = {} }: FreeTableOptions = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'edgeloom-free-table-'));
  const itemsFile = join(folder, 'items.jsonl');
  saveTexts(itemsFile, storedTexts(items));
  const program = fileURLToPath(new URL('free-table-child.js', import.meta.url));
  const args = [program, String(delayMs), JSON.stringify(answers), itemsFile];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    return await run(`http://127.0.0.1:${String(port).trim()}`);
  } finally {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
