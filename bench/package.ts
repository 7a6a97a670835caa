import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unzipSync } from 'fflate';
import type { BenchmarkOptions } from './support/command.ts';
import type { Figure, Report } from './support/report.ts';
import { spread } from './support/statistics.ts';

/**
 * What a deployed function costs before it does anything: the size of its package, and a cold start, which is a new Node
 * process that loads the unpacked handler and makes its clients. Beside it, the same process with nothing to load.
 */

const FUNCTIONS = ['stream', 'check', 'redrive'] as const;
const REPETITIONS = 15;
const MEGABYTE = 1024 * 1024;
/** Benchmarks run in the repository's root. */
const ROOT = process.cwd();
const ENVIRONMENT = { EDGELOOM_TABLE: 'records', AWS_REGION: 'eu-central-1', PATH: process.env['PATH'] };
/** Prints how long a module takes to load, in milliseconds. */
const LOAD =
  'const start = performance.now();' +
  'if (process.argv[1]) await import(process.argv[1]);' +
  'process.stdout.write(String(performance.now() - start));' +
  'process.exit()';

/** Packages the service as `npm run package` does, and measures what comes out. */
export async function packaged({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'edgeloom-package-'));
  try {
    const program = join(ROOT, 'node_modules/serverless/bin/serverless.js');
    execFileSync(process.execPath, [program, 'package', '--package', folder], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const sizes = FUNCTIONS.flatMap((name): Figure[] => {
      const { zipBytes, bytes } = unpack(folder, name);
      const target = { kind: 'at-most', value: MEGABYTE } as const;
      return [
        { name: `${name}: zip`, value: zipBytes, unit: 'bytes' },
        { name: `${name}: unpacked`, value: bytes, unit: 'bytes', target },
      ];
    });
    const title = `packages, and cold starts on this machine under Node ${process.versions.node}`;
    return [{ name: 'package', title, figures: [...sizes, ...coldStarts(folder, repetitions)] }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Unpacks a function's one file beside its zip. */
function unpack(folder: string, name: string): { zipBytes: number; bytes: number } {
  const zip = join(folder, `${name}.zip`);
  let bytes = 0;
  for (const [path, content] of Object.entries(unzipSync(readFileSync(zip)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    bytes += content.length;
  }
  return { zipBytes: statSync(zip).size, bytes };
}

function coldStarts(folder: string, repetitions: number): Figure[] {
  const files = FUNCTIONS.map((name) => join(folder, 'handlers', `${name}.mjs`));
  const loads = FUNCTIONS.map((): number[] => []);
  const processes = FUNCTIONS.map((): number[] => []);
  const empty: number[] = [];
  for (const file of files) start(file);
  for (let i = 0; i < repetitions; i++) {
    empty.push(start().processMs);
    for (const [n, file] of files.entries()) {
      const { loadMs, processMs } = start(file);
      loads[n]!.push(loadMs);
      processes[n]!.push(processMs);
    }
  }
  return [
    ...FUNCTIONS.map((name, n): Figure => ({ name: `${name}: load`, value: spread(loads[n]!), unit: 'ms' })),
    ...FUNCTIONS.map((name, n): Figure => ({ name: `${name}: process`, value: spread(processes[n]!), unit: 'ms' })),
    { name: 'nothing: process', value: spread(empty), unit: 'ms' },
  ];
}

/** Starts a process that loads a module, or none. */
function start(file?: string): { loadMs: number; processMs: number } {
  const begun = performance.now();
  const args = ['--input-type=module', '--eval', LOAD, ...(file === undefined ? [] : [pathToFileURL(file).href])];
  const env = { ...ENVIRONMENT, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' };
  const printed = execFileSync(process.execPath, args, { env, encoding: 'utf8' });
  return { loadMs: Number(printed), processMs: performance.now() - begun };
}
