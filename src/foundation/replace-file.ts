import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Renames a new file over the old one, so that a reader never finds a partial file, even after a crash. Each call has
 * its own temporary file, because several processes may replace the same file.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const scratch = `${file}.${randomUUID()}.tmp`;
  try {
    await writeSynced(scratch, text);
    await rename(scratch, file);
  } catch (error) {
    await rm(scratch, { force: true });
    throw error;
  }
}

/** Another process may be about to rename a younger file; no save takes as long. */
const LEFTOVER_AFTER_MS = 60_000;

/** Removes the temporary files of killed calls where it can; they do no harm. */
export async function removeLeftovers(file: string): Promise<void> {
  const folder = dirname(file);
  const prefix = `${basename(file)}.`;
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    if (!/^[0-9a-f-]{36}\.tmp$/.test(name.slice(prefix.length))) continue;
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found !== undefined && found.mtimeMs <= Date.now() - LEFTOVER_AFTER_MS)
      await rm(join(folder, name)).catch(() => {});
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
