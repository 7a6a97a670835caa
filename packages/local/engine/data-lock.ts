import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EdgeloomError } from '../../../src/foundation/errors.ts';

const LOCK_FILE = /^in-use-by-(\d+)-/;

/** Locks of this process. After a container restarts, a file of an earlier process may have the same process id. */
const held = new Set<string>();

/**
 * Locks a data folder, so that only one engine uses it. A process creates an empty file with its own id, then looks for
 * other files. If two processes start together, at least one sees the other's file. Files of dead processes don't
 * count. Returns a function that releases the lock. Throws `already-running`.
 */
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
      'already-running',
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
    // EPERM: the process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
