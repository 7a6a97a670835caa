import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unzipSync } from 'fflate';
import type { BenchmarkOptions } from './support/command.ts';
import { ratios } from './support/paired.ts';
import { atMost, CODE_VARIES, type Figure, figure, type Report, varying } from './support/report.ts';
import { spread } from './support/statistics.ts';

/**
 * Measures a function's package: its size, the code that a start reads, and a cold start. A cold start is a Node.js
 * process that loads the handler, compared with an empty process in the same round.
 */

const FUNCTIONS = ['stream', 'check', 'redrive'] as const;
const REPETITIONS = 25;
const MEGABYTE = 1024 * 1024;
const MOST_AT_START = 450_000;
/** CPU time in addition to that of an empty process, as a multiple of it. */
const MOST_OF_EMPTY = 3.7;
const MOST_OF_STREAM = 1.2;
const ROOT = process.cwd();
const ENVIRONMENT = {
  ...{
    EDGELOOM_TABLE: 'records',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  },
  ...{ NODE_OPTIONS: '--enable-source-maps', PATH: process.env['PATH'] },
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};
/** Loads the given module, if any, and prints the process's CPU time in milliseconds. */
const LOAD =
  'if (process.argv[1]) await import(process.argv[1]);' +
  'const { user, system } = process.cpuUsage();' +
  'process.stdout.write(String((user + system) / 1000));' +
  'process.exit()';

/** Packages the service like `npm run package`. */
export async function packaged({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'edgeloom-package-'));
  try {
    const program = join(ROOT, 'node_modules/serverless/bin/serverless.js');
    execFileSync(process.execPath, [program, 'package', '--package', folder], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const sizes = FUNCTIONS.flatMap((name): Figure[] => {
      const { zipBytes, bytes, startBytes } = unpack(folder, name);
      const most = name === 'stream' ? atMost(MOST_AT_START) : undefined;
      return [
        figure(`${name}: zip`, zipBytes, 'bytes'),
        figure(`${name}: code`, bytes, 'bytes', atMost(1.1 * MEGABYTE)),
        figure(`${name}: code read at the start`, startBytes, 'bytes', most),
      ].map((one) => varying(CODE_VARIES, one));
    });
    const title = `packages, and cold starts on this machine under Node ${process.versions.node}, beyond that of an empty process`;
    return [{ name: 'package', title, figures: [...sizes, ...coldStarts(folder, repetitions)] }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function unpack(folder: string, name: string): { zipBytes: number; bytes: number; startBytes: number } {
  const zip = join(folder, `${name}.zip`);
  const code = new Map<string, string>();
  for (const [path, content] of Object.entries(unzipSync(readFileSync(zip)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    if (path.endsWith('.mjs')) code.set(path, Buffer.from(content).toString('latin1'));
  }
  const bytesOf = (paths: Iterable<string>): number =>
    [...paths].reduce((sum, path) => sum + code.get(path)!.length, 0);
  const atStart = importedFrom(`handlers/${name}.mjs`, code);
  return { zipBytes: statSync(zip).size, bytes: bytesOf(code.keys()), startBytes: bytesOf(atStart) };
}

function importedFrom(module: string, code: ReadonlyMap<string, string>): Set<string> {
  const found = new Set([module]);
  for (const path of found) {
    for (const [, other] of code.get(path)!.matchAll(/(?:^|[;}])import[^"'();]*?"(\.[^"]+)"/gm)) {
      found.add(posix.join(posix.dirname(path), other!));
    }
  }
  return found;
}

function coldStarts(folder: string, repetitions: number): Figure[] {
  const files = FUNCTIONS.map((name) => join(folder, 'handlers', `${name}.mjs`));
  const cpu = FUNCTIONS.map((): number[] => []);
  const clock = FUNCTIONS.map((): number[] => []);
  const empty: number[] = [];
  for (const file of files) start(file);
  for (let i = 0; i < repetitions; i++) {
    const nothing = start();
    empty.push(nothing.cpuMs);
    for (const [n, file] of files.entries()) {
      const { cpuMs, processMs } = start(file);
      cpu[n]!.push(cpuMs - nothing.cpuMs);
      clock[n]!.push(processMs - nothing.processMs);
    }
  }
  return FUNCTIONS.flatMap((name, n): Figure[] => {
    const [than, ratio, most] =
      name === 'stream'
        ? ['an empty process', ratios(cpu[n]!, empty), MOST_OF_EMPTY]
        : ["the stream function's", ratios(cpu[n]!, cpu[0]!), MOST_OF_STREAM];
    return [
      figure(`${name}: CPU of a start`, spread(cpu[n]!), 'ms'),
      figure(`${name}: CPU of a start against ${than}`, ratio, 'x', atMost(most)),
      figure(`${name}: a start by the clock`, spread(clock[n]!), 'ms'),
    ];
  }).concat(figure('an empty process: CPU', spread(empty), 'ms'));
}

function start(file?: string): { cpuMs: number; processMs: number } {
  const begun = performance.now();
  const args = ['--input-type=module', '--eval', LOAD, ...(file === undefined ? [] : [pathToFileURL(file).href])];
  const printed = execFileSync(process.execPath, args, { env: ENVIRONMENT, encoding: 'utf8' });
  return { cpuMs: Number(printed), processMs: performance.now() - begun };
}
