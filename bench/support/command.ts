import { execFile } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs, promisify } from 'node:util';
import pMap from 'p-map';
import { endWithParent } from './end-with-parent.ts';
import { SHORT } from './extent.ts';
import { type FigureFile, figureFile, readFigures, saveFigures } from './figure-file.ts';
import { type Report, reportJson, reportText } from './report.ts';

export interface BenchmarkOptions {
  /** Maximum runs of each variant. Default: the benchmark's own. */
  repetitions?: number;
  /** Nodes of `migrate`, or source items of `sync`. Default: the benchmark's own. */
  nodes?: number;
}

export type Benchmark = (options: BenchmarkOptions) => Promise<Report[]>;

/** Limit on an idle machine. A benchmark that takes longer is stopped. */
const MOST_SECONDS = 180;
/** The same for `--short`, where benchmarks run in parallel. */
const MOST_SHORT_SECONDS = 60;
/** Rate on a busy machine, which extends the time limit for `--nodes`. */
const SLOWEST_NODES_PER_SECOND = 20;
const SHORT_AT_ONCE = 3;

const USAGE = `Usage: npm run bench -- NAME... | all [--repetitions N] [--nodes N] [--json] [--save] [--short]

Runs benchmarks, each in a process of its own, compiled. Ratios are of paired, interleaved runs: median, minimum, maximum.
CPU is that of the measured process, garbage collection included; the engine is another process.

  --repetitions N  run each variant N times at most
  --nodes N        nodes of the benchmark migrate, source items of sync; with many of them a benchmark may take longer
  --short          run each once at its smallest size, three side by side: shows that it works, not what it measures
  --json           print one JSON document; with all it is written to docs/project/figures.json too
  --save           put the figures of these benchmarks into docs/project/figures.json (npm run bench -- figures makes the page of it)

Examples:
  npm run bench -- cpu client
  npm run bench -- all --json
`;

// Silences the SDK's notice about future Node versions.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

export async function runBenchmarks(benchmarks: Readonly<Record<string, Benchmark>>): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      // Set in the child process that runs a single benchmark.
      here: { type: 'boolean', default: false },
      repetitions: { type: 'string' },
      nodes: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const isAll = positionals.includes('all');
  const names = isAll ? Object.keys(benchmarks) : positionals;
  const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
  const repetitions = values.repetitions === undefined ? undefined : Number(values.repetitions);
  const nodes = values.nodes === undefined ? undefined : Number(values.nodes);
  const badCount = [repetitions, nodes].some((count) => count !== undefined && !(Number.isInteger(count) && count > 0));
  if (values.help || names.length === 0 || unknown.length > 0 || badCount) {
    const complaint = unknown.length > 0 ? `There is no benchmark ${unknown.join(', ')}.\n\n` : '';
    const text = `${complaint}${USAGE}\nBenchmarks: ${Object.keys(benchmarks).join(', ')}\n`;
    (values.help ? process.stdout : process.stderr).write(text);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  if (values.here) {
    endWithParent();
    const reports = await benchmarks[names[0]!]!({ repetitions, nodes });
    process.stdout.write(JSON.stringify(reports));
    return;
  }
  if (values.short && values.save) {
    process.stderr.write('What --short measures is no figure: leave --save out.\n');
    process.exitCode = 2;
    return;
  }
  const file = await measureAll(names, values, values.save || (isAll && values.json && !values.short));
  if (values.json) process.stdout.write(`${JSON.stringify(file, null, 2)}\n`);
  const gone = unprinted(await readFigures(), file, isAll ? Object.keys(benchmarks) : names, isAll);
  for (const name of gone)
    process.stderr.write(`docs/project/figures.json has ${name}, which this commit does not print.\n`);
  if (gone.length > 0) process.exitCode = 1;
}

/**
 * Returns documented reports that this run didn't print. For `all`, includes reports of benchmarks that no longer
 * exist.
 */
function unprinted(
  documented: FigureFile | undefined,
  printed: FigureFile,
  names: readonly string[],
  isAll: boolean,
): string[] {
  return Object.entries(documented?.benchmarks ?? {}).flatMap(([name, { reports }]) => {
    if (!names.includes(name)) return isAll ? [`the benchmark ${name}`] : [];
    const here = printed.benchmarks[name]?.reports.map((report) => report.name);
    if (here === undefined) return [];
    return reports.flatMap((report) => (here.includes(report.name) ? [] : [`the report ${report.name} of ${name}`]));
  });
}

interface MeasuringOptions {
  /** Path of `bench/main.js`. Default: this program. */
  program?: string;
  repetitions?: string | undefined;
  nodes?: string | undefined;
  /** Default: depends on the size and on the machine's load. */
  mostSeconds?: number;
  /** Prints only progress, no reports. */
  json: boolean;
  short?: boolean;
}

/** Runs each benchmark in its own process, so that it doesn't profit from code that another one has compiled. */
export async function measureAll(
  names: readonly string[],
  { program = process.argv[1]!, repetitions, nodes, json, short = false, mostSeconds: bound }: MeasuringOptions,
  isSaved: boolean,
): Promise<FigureFile> {
  const file = figureFile();
  const measure = async (name: string): Promise<void> => {
    const start = performance.now();
    const loadAverage = Math.round(loadavg()[0]! * 10) / 10;
    const args = [
      program,
      name,
      '--here',
      ...(repetitions === undefined && !short ? [] : ['--repetitions', repetitions ?? '1']),
      ...(nodes === undefined ? [] : ['--nodes', nodes]),
    ];
    // A loaded machine takes proportionally longer.
    const share = Math.max(1, loadAverage / availableParallelism());
    const secondsHere =
      (short ? MOST_SHORT_SECONDS : MOST_SECONDS) +
      (nodes === undefined ? 0 : Number(nodes) / SLOWEST_NODES_PER_SECOND);
    const mostSeconds = Math.ceil(Math.min(share * secondsHere, bound ?? Number.POSITIVE_INFINITY));
    const reports = await ownProcess(name, args, mostSeconds, short).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
      return undefined;
    });
    if (reports === undefined) return;
    const seconds = Math.round((performance.now() - start) / 1000);
    file.benchmarks[name] = {
      seconds,
      measuredOn: new Date().toISOString().slice(0, 10),
      loadAverage,
      reports: reports.map(reportJson),
    };
    // Save each benchmark at once, so that a later failure doesn't lose its figures.
    if (isSaved) await saveFigures({ ...file, benchmarks: { [name]: file.benchmarks[name]! } });
    process.stderr.write(`${name}: ${seconds} s\n`);
    if (!json) for (const report of reports) process.stdout.write(`${reportText(report)}\n`);
  };
  // Short runs measure nothing and mostly wait, so they may overlap.
  await pMap(names, measure, { concurrency: short ? SHORT_AT_ONCE : 1 });
  return file;
}

async function ownProcess(
  name: string,
  args: readonly string[],
  mostSeconds: number,
  isShort: boolean,
): Promise<Report[]> {
  const env = { ...process.env, ...(isShort && { [SHORT]: '1' }) };
  // A hanging process may ignore other signals.
  const limits = {
    ...{ timeout: Math.ceil(mostSeconds * 1000), killSignal: 'SIGKILL' as const },
    ...{ maxBuffer: 64 * 1024 * 1024, env },
  };
  try {
    return JSON.parse((await promisify(execFile)(process.execPath, args, limits)).stdout) as Report[];
  } catch (error) {
    const { killed, stderr } = error as { killed?: boolean; stderr?: string };
    const reason = killed === true ? `took more than ${mostSeconds} s` : `failed: ${stderr ?? String(error)}`;
    throw new Error(`The benchmark ${name} ${reason}`, { cause: error });
  }
}
