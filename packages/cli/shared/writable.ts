import { access, constants, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Rejects if the file can't be created or written, without writing anything. Called before long work.
 * @param isReplaced true if another file will be renamed over this one, which requires write access to the folder
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
