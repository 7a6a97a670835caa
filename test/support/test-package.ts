import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/package/cache-folder.ts';

const run = promisify(execFile);
const FILES = ['package.json', 'package-lock.json'];

/**
 * The folder of a test package (`test/NAME`) with its dependencies: what is too large for everybody's `npm ci`. It is installed from
 * the npm registry the first time, and kept in the user's cache under a name that stands for the versions.
 *
 * @param environment of npm, made from the folder that it installs in.
 */
export async function installedTestPackage(
  name: string,
  environment: (folder: string) => NodeJS.ProcessEnv = () => ({}),
): Promise<string> {
  const source = new URL(`../${name}/`, import.meta.url).pathname;
  const contents = await Promise.all(FILES.map((file) => readFile(join(source, file))));
  const hash = contents.reduce((sum, text) => sum.update(text), createHash('sha256')).digest('hex');
  const cache = cacheFolder();
  const installed = join(cache, `${name}-${process.arch}-${hash.slice(0, 16)}`);
  if (existsSync(installed)) return installed;
  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(join(cache, 'install-'));
  try {
    for (const file of FILES) await copyFile(join(source, file), join(scratch, file));
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: scratch,
      env: { ...process.env, ...environment(scratch) },
      maxBuffer: 64 * 1024 * 1024,
    });
    // Two runs may install at once: the first rename wins and the other's copy is dropped.
    await rename(scratch, installed).catch((error: unknown) => {
      if (!existsSync(installed)) throw error;
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return installed;
}
