import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/**
 * A folder for the tests of a file or of a suite, which goes with them, after what is ended by hooks that are given later.
 * @param beginning of its path, before random characters.
 */
export function temporaryFolder(beginning = join(tmpdir(), 'edgeloom-')): string {
  const folder = mkdtempSync(beginning);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
