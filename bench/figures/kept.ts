import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { MeasuredBenchmark } from '../support/figure-file.ts';

/** Figures that earlier calls of a check measured at the same commit. */
export interface KeptFigures {
  commit: string;
  /** Null if the benchmark failed or took too long. */
  benchmarks: Record<string, MeasuredBenchmark | null>;
}

const FILE = join('.cache', 'figures-check.json');

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

export async function writeKept(kept: KeptFigures): Promise<void> {
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, JSON.stringify(kept));
}

export async function forgetKept(): Promise<void> {
  await rm(FILE, { force: true });
}
