import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Mutant } from '../planted/mutant.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs schedules with a bug planted until one fails; gives what the run printed, and whether one did. */
export function hunt(
  mutant: Mutant,
  { seed, runs }: { seed: number; runs: number },
): Promise<{ isFound: boolean; text: string }> {
  const patches = mutant.patches.map((patch) => ({ ...patch, file: pathToFileURL(ROOT + patch.file).href }));
  const hook = new URL('../planted/hook.mjs', import.meta.url).href;
  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  const options = ['--seed', String(seed), '--runs', String(runs), '--until-failure'];
  const env = { ...process.env, EDGELOOM_SIMULATOR_PATCHES: JSON.stringify(patches) };
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--import', hook, '--import', 'tsx', program, ...options],
      { cwd: ROOT, env },
      (error, stdout, stderr) => {
        // A bug that only keeps the program from running shows nothing.
        if (stderr !== '' || (error !== null && error.code !== 1)) reject(new Error(`${mutant.name}: ${stderr}`));
        else resolve({ isFound: error !== null, text: stdout });
      },
    );
  });
}
