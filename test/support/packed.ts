import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './command.ts';

/** Runs a program in a folder, and gives what it prints; rejects where it fails. */
export const run = promisify(execFile);

/** Packs the package into a folder and gives the tarball's path. */
export async function packInto(folder: string): Promise<string> {
  // What is in the package was built already; packing must not build it over other tests' heads.
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
  });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  return join(folder, packed!.filename);
}
