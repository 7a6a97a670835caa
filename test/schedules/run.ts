import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Mutant } from '../simulator/planted/mutant.ts';

/** What `main.ts` prints. */
export interface SchedulesReport {
  runs: number;
  failed: number;
  failures: { seed: number; failures: string[] }[];
}

const HOOK = new URL('../simulator/planted/hook.mjs', import.meta.url).href;
const MAIN = new URL('main.ts', import.meta.url).pathname;
const ROOT = new URL('../../', import.meta.url);

/** Runs schedules in a process of its own, on the code with a bug planted in it, from a seed on. */
export async function runSchedules(kind: string, runs: number, mutant: Mutant, seed = 1): Promise<SchedulesReport> {
  const patches = mutant.patches.map(({ file, ...texts }) => ({ ...texts, file: new URL(file, ROOT).href }));
  const env = { ...process.env, EDGELOOM_SIMULATOR_PATCHES: JSON.stringify(patches) };
  const args = ['--import', HOOK, '--import', 'tsx', MAIN, kind, '--runs', String(runs), '--most-failures', '1'];
  args.push('--seed', String(seed));
  try {
    return JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout) as SchedulesReport;
  } catch (error) {
    // It ends with 1 where a schedule failed; anything else says nothing of the rule.
    const { code, stdout = '' } = error as { code?: number; stdout?: string };
    if (code === 1 && stdout !== '') return JSON.parse(stdout) as SchedulesReport;
    throw error;
  }
}
