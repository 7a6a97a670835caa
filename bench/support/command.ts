import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Report, reportJson, reportText } from './report.ts';

/** What every benchmark takes. */
export interface BenchmarkOptions {
  /** How often each variant is run; the benchmark's own number where absent. */
  repetitions?: number;
}

/** A benchmark: measures, and says what it found. */
export type Benchmark = (options: BenchmarkOptions) => Promise<Report[]>;

const USAGE = `Usage: npm run bench -- [NAME...] [--repetitions N] [--json]

Runs the named benchmarks, or all of them. Ratios are of paired, interleaved runs: their median, minimum and maximum.`;

// The SDK's notice about future Node versions says nothing about a benchmark.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

/** Runs benchmarks as the command line says, and prints what they found: tables, or one JSON document. */
export async function runBenchmarks(benchmarks: Readonly<Record<string, Benchmark>>): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' }, repetitions: { type: 'string' }, help: { type: 'boolean' } },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(benchmarks);
  const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
  const repetitions = values.repetitions === undefined ? undefined : Number(values.repetitions);
  const badCount = repetitions !== undefined && !(Number.isInteger(repetitions) && repetitions > 0);
  if (values.help === true || unknown.length > 0 || badCount) {
    const complaint = unknown.length > 0 ? `There is no benchmark ${unknown.join(', ')}.\n\n` : '';
    const text = `${complaint}${USAGE}\n\nBenchmarks: ${Object.keys(benchmarks).join(', ')}\n`;
    (values.help === true ? process.stdout : process.stderr).write(text);
    process.exitCode = values.help === true ? 0 : 2;
    return;
  }
  const reports: Report[] = [];
  for (const name of names) {
    for (const report of await benchmarks[name]!({ repetitions })) {
      reports.push(report);
      if (values.json !== true) process.stdout.write(`${reportText(report)}\n`);
    }
  }
  if (values.json === true) {
    const machine = { node: process.version, platform: process.platform, architecture: process.arch };
    process.stdout.write(`${JSON.stringify({ machine, reports: reports.map(reportJson) }, null, 2)}\n`);
  }
}

/** Runs a benchmark where its file is the program: `npx tsx bench/cpu.ts`. */
export async function runDirectly(moduleUrl: string, name: string, benchmark: Benchmark): Promise<void> {
  const program = process.argv[1];
  if (program === undefined || realpathSync(program) !== fileURLToPath(moduleUrl)) return;
  await runBenchmarks({ [name]: benchmark });
}
