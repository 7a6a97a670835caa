import { access, constants, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Rejects if a file can't be created or replaced: for a command that writes the file at the end of long work. Writes
 * nothing.
 */
export async function requireWritable(file: string): Promise<void> {
  await access(dirname(file), constants.W_OK);
  let isRegular: boolean;
  try {
    isRegular = (await lstat(file)).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (!isRegular) throw new Error('it is no regular file');
  await access(file, constants.W_OK);
}
