import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { MeasuredReport } from './report.ts';

/** The measured figures, as `docs/project/figures.json` keeps them; a program makes `docs/project/figures.md` and its plots from that file. */
export interface FigureFile {
  /** Where it was measured, in general terms. */
  machine: { cores: number; memoryGB: number; platform: string; architecture: string; node: string };
  benchmarks: Record<string, MeasuredBenchmark>;
}

/** One benchmark's figures. */
export interface MeasuredBenchmark {
  /** Seconds that it took, set-up included. */
  seconds: number;
  /** Day of the measurement. */
  measuredOn: string;
  /** Processes that wanted to run when it began, a minute's average; absent of older measurements. */
  loadAverage?: number;
  reports: MeasuredReport[];
}

/** The file, from the repository's root: benchmarks run there. */
export const FIGURES = join('docs', 'project', 'figures.json');

/** An empty file for this machine. */
export function figureFile(): FigureFile {
  const machine = {
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / 2 ** 30),
    platform: process.platform,
    architecture: process.arch,
    node: process.version,
  };
  return { machine, benchmarks: {} };
}

/** The file as it is; undefined where there is none. */
export async function readFigures(): Promise<FigureFile | undefined> {
  try {
    return JSON.parse(await readFile(FIGURES, 'utf8')) as FigureFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Puts benchmarks into the file; figures of others stay. */
export async function saveFigures(file: FigureFile): Promise<void> {
  const present = await readFigures();
  const merged = { ...file, benchmarks: { ...present?.benchmarks, ...file.benchmarks } };
  await writeFile(FIGURES, `${JSON.stringify(merged, null, 2)}\n`);
}
