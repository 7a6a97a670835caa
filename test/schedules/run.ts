import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { bundledProgram } from '../simulator/planted/program.ts';

/** What `main.ts` prints. */
export interface SchedulesReport {
  runs: number;
  failed: number;
  failures: { seed: number; failures: string[] }[];
}

const MAIN = new URL('main.ts', import.meta.url);

/** Runs schedules in a process of its own, on the code with a bug planted in it, from a seed on. */
export async function runSchedules(kind: string, runs: number, mutant: Mutant, seed = 1): Promise<SchedulesReport> {
  const { file, remove } = await bundledProgram(MAIN, mutant);
  const args = [file, kind, '--runs', String(runs), '--most-failures', '1', '--seed', String(seed)];
  try {
    return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as SchedulesReport;
  } catch (error) {
    // It ends with 1 where a schedule failed; anything else says nothing of the rule.
    const { code, stdout = '' } = error as { code?: number; stdout?: string };
    if (code === 1 && stdout !== '') return JSON.parse(stdout) as SchedulesReport;
    throw error;
  } finally {
    await remove();
  }
}
