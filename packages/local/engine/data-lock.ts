import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EdgeloomError } from '../../../src/foundation/errors.ts';

/**
 * One engine at a time for a data folder: two would both run, each on what it has read itself. Who wants the folder puts an
 * empty file into it that names its process, then looks for files of others. If two start at the same time, the later one looks when
 * both files are there, so never both go on; it may be that neither does. A file of a process that is gone counts for nothing.
 */

const LOCK_FILE = /^in-use-by-(\d+)-/;

/** Lock files of this process: after a restart of a container an earlier process may have had its id. */
const held = new Set<string>();

/** Takes a data folder; gives a function that lets it go. Throws `data-in-use` where another engine has it. */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  const own = `in-use-by-${process.pid}-${randomUUID()}`;
  let released: Promise<void> | undefined;
  const release = (): Promise<void> => {
    held.delete(own);
    released ??= rm(join(folder, own), { force: true });
    return released;
  };
  held.add(own);
  try {
    await writeFile(join(folder, own), '');
    await refuseOtherHolders(folder, own);
    return release;
  } catch (error) {
    await release();
    throw error;
  }
}

async function refuseOtherHolders(folder: string, own: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const holder = LOCK_FILE.exec(name)?.[1];
    if (holder === undefined || name === own) continue;
    if (!isLockHeld(name, Number(holder))) {
      await rm(join(folder, name), { force: true });
      continue;
    }
    throw new EdgeloomError(
      'data-in-use',
      `The data folder ${folder} is in use by process ${holder}.`,
      `Stop that process, or take another folder. If it is no engine's, delete ${join(folder, name)}.`,
    );
  }
}

function isLockHeld(name: string, holder: number): boolean {
  if (holder === process.pid) return held.has(name);
  try {
    process.kill(holder, 0);
    return true;
  } catch (error) {
    // Without the right to signal a process (EPERM) it is there all the same.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
