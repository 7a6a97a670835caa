import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/deployment/package/package-files.ts';

const run = promisify(execFile);
const FILES = ['package.json', 'package-lock.json'];

/** How a package of its own is installed. */
export interface InstallOptions {
  /** The folder that keeps it; the user's cache if absent. */
  cache?: string;
  /** The environment of npm, made from the folder that it installs in. */
  environment?: (folder: string) => NodeJS.ProcessEnv;
}

/**
 * The folder of a test package (`test/NAME`) with its dependencies: what is too large for everybody's `npm ci`.
 *
 * @param environment of npm, made from the folder that it installs in.
 */
export async function installedTestPackage(name: string, environment?: InstallOptions['environment']): Promise<string> {
  return await installedPackage(new URL(`../${name}/`, import.meta.url).pathname, { environment });
}

/**
 * The folder where the dependencies of `source`, a folder with a package.json and a lockfile, are installed. They are installed from the
 * npm registry the first time, and kept in a cache under a name that stands for the versions.
 */
export async function installedPackage(source: string, options: InstallOptions = {}): Promise<string> {
  const { cache = cacheFolder(), environment = () => ({}) } = options;
  const contents = await Promise.all(FILES.map((file) => readFile(join(source, file))));
  const hash = contents.reduce((sum, text) => sum.update(text), createHash('sha256')).digest('hex');
  const installed = join(cache, `${basename(source)}-${process.arch}-${hash.slice(0, 16)}`);
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
