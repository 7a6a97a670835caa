import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchmarkOptions } from './support/command.ts';
import { withFreeTable } from './support/free-table.ts';
import type { Item } from './support/images.ts';
import { ratios } from './support/paired.ts';
import { atMost, type Figure, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';

/**
 * Compares the CPU time of whole processes of the built command with empty processes in the same round. The first round
 * fills caches, and isn't counted.
 */

const REPETITIONS = 15;
const COMMAND = join(process.cwd(), 'dist/cli/main.js');
/** Writes the process's CPU seconds to a file when it exits. */
const NOTE_CPU =
  "import { writeFileSync } from 'node:fs'; process.on('exit', () => { const { user, system } = process.cpuUsage();" +
  ' writeFileSync(process.env.EDGELOOM_BENCH_CPU, String((user + system) / 1e6)); });';

/** Without a view, `get` exits with 1. */
const VIEW: Item = {
  source: { S: 'USER-U1' },
  target: { S: '~view' },
  attributes: { M: { name: { S: 'Ada' } } },
  w: { S: `2026-01-01T00:00:00.000/${'1'.padStart(40, '0')}` },
  r: { N: '1' },
};

interface Variant {
  name: string;
  args: readonly string[];
  most: { times?: number; seconds?: number };
}

export async function start({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  if (!existsSync(COMMAND)) throw new Error(`${COMMAND} is not built. Run npm run build first.`);
  const folder = mkdtempSync(join(tmpdir(), 'edgeloom-start-'));
  try {
    return await withFreeTable(
      async (endpoint) => {
        const variants: Variant[] = [
          { name: '--help', args: [COMMAND, '--help'], most: { times: 2.5 } },
          { name: 'cost, with a TypeScript model', args: [COMMAND, 'cost', '--json'], most: { times: 5 } },
          { name: 'get', args: [COMMAND, 'get', 'USER-U1', '--endpoint', endpoint, '--json'], most: { seconds: 0.35 } },
        ];
        const seconds = new Map(variants.map(({ name }) => [name, [] as number[]]));
        const empty: number[] = [];
        for (let round = 0; round <= repetitions; round++) {
          const nothing = cpuSeconds(folder, ['--eval', '']);
          if (round > 0) empty.push(nothing);
          for (const { name, args } of variants) {
            const taken = cpuSeconds(folder, args);
            if (round > 0) seconds.get(name)!.push(taken);
          }
        }
        const figures = variants.flatMap(({ name, most: { times, seconds: least } }): Figure[] => {
          const taken = seconds.get(name)!;
          const target = (value: number | undefined) => (value === undefined ? undefined : atMost(value));
          return [
            figure(`${name}: CPU`, spread(taken), 's', target(least)),
            figure(`${name}: against an empty process`, ratios(taken, empty), 'x', target(times)),
          ];
        });
        const title = `processes of the command under Node ${process.versions.node}, from their start to their end`;
        const bare: Figure = figure('an empty process: CPU', spread(empty), 's');
        return [{ name: 'start', title, figures: [...figures, bare] }];
      },
      { items: [VIEW] },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function cpuSeconds(folder: string, args: readonly string[]): number {
  const file = join(folder, 'cpu');
  writeFileSync(file, '');
  const note = `data:text/javascript,${encodeURIComponent(NOTE_CPU)}`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', note, ...args], {
    env: { ...process.env, EDGELOOM_BENCH_CPU: file },
    encoding: 'utf8',
  });
  const seconds = Number(readFileSync(file, 'utf8'));
  if (status !== 0 || !(seconds > 0)) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return seconds;
}
