import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { MeasuredBenchmark } from '../support/figure-file.ts';

/** What a check of figures has measured so far, so that the next call goes on there. Another commit begins anew. */
export interface KeptFigures {
  commit: string;
  /** By benchmark; null: it did not end. */
  benchmarks: Record<string, MeasuredBenchmark | null>;
}

const FILE = join('.cache', 'figures-check.json');

/** What was measured of the present commit; empty where nothing was. */
export async function readKept(): Promise<KeptFigures> {
  const { stdout } = await promisify(execFile)('git', ['rev-parse', 'HEAD']);
  const commit = stdout.trim();
  const text = await readFile(FILE, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const kept = text === undefined ? undefined : (JSON.parse(text) as KeptFigures);
  return kept?.commit === commit ? kept : { commit, benchmarks: {} };
}

/** Writes what was measured so far. */
export async function writeKept(kept: KeptFigures): Promise<void> {
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, JSON.stringify(kept));
}

/** Forgets what was measured: the check is over. */
export async function forgetKept(): Promise<void> {
  await rm(FILE, { force: true });
}
