import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes a new file and renames it over the old one, so that a reader never finds a partial file, even after a crash.
 * Each call has its own temporary file, because several processes may replace the same file.
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

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
