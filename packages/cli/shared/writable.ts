import { access, constants, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Rejects if a file can't be created or written: for a command that writes the file at the end of long work. Writes
 * nothing.
 *
 * @param isReplaced whether another file is renamed over an existing one, which takes the right to write the folder.
 */
export async function requireWritable(file: string, { isReplaced }: { isReplaced: boolean }): Promise<void> {
  if (isReplaced) await access(dirname(file), constants.W_OK);
  let isRegular: boolean;
  try {
    isRegular = (await lstat(file)).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return await access(dirname(file), constants.W_OK);
  }
  if (!isRegular) throw new Error('it is no regular file');
  await access(file, constants.W_OK);
}
