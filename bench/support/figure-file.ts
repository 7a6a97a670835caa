import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { MeasuredReport } from './report.ts';

/** The content of `docs/project/figures.json`, from which `figures.md` and its plots are made. */
export interface FigureFile {
  machine: { cores: number; memoryGB: number; platform: string; architecture: string; node: string };
  benchmarks: Record<string, MeasuredBenchmark>;
}

export interface MeasuredBenchmark {
  seconds: number;
  measuredOn: string;
  /** One-minute load average at the start. Absent from older figures. */
  loadAverage?: number;
  reports: MeasuredReport[];
}

/** Relative to the repository's root, where benchmarks run. */
export const FIGURES = join('docs', 'project', 'figures.json');

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

export async function readFigures(): Promise<FigureFile | undefined> {
  try {
    return JSON.parse(await readFile(FIGURES, 'utf8')) as FigureFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function saveFigures(file: FigureFile): Promise<void> {
  const present = await readFigures();
  const merged = { ...file, benchmarks: { ...present?.benchmarks, ...file.benchmarks } };
  await writeFile(FIGURES, `${JSON.stringify(merged, null, 2)}\n`);
}
