import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Counts } from './counts-reporter.ts';
import { cpuSecondsOfTree } from './cpu-time.ts';
import type { FileTime } from './files-reporter.ts';

/** Measures what the tests cost, on Linux: `npm run test:times -- commands` or `npm run test:times -- files`. */

const USAGE = `Usage: npm run test:times -- commands [COMMAND...]
       npm run test:times -- files [ARGUMENT...]

"commands" runs the commands of the table in CONTRIBUTING.md, or those that are named, and writes what each took into it.
"files" runs all tests, or those that arguments of vitest choose, one file at a time, and prints the most expensive files.`;

const CONTRIBUTING = new URL('../../CONTRIBUTING.md', import.meta.url);
const BEGIN = '<!-- times: npm run test:times -- commands -->\n';
const END = '<!-- end of times -->';
const MOST_EXPENSIVE = 25;
/** `npm run test:changed` is measured with a change of this file, which is undone. */
const CHANGED_COMMAND = 'npm run test:changed';
const CHANGED_FILE = new URL('../../src/read/lists/search.ts', import.meta.url);

/** A row of the table: the cells as they stand in it. */
type Row = [command: string, what: string, tests: string, wall: string, cpu: string, load: string];

const [kind, ...args] = process.argv.slice(2);
if (kind === 'commands') measureCommands(args);
else if (kind === 'files') measureFiles(args);
else {
  console.error(USAGE);
  process.exitCode = 2;
}

/** Measures commands, and writes each row as soon as it is measured. */
function measureCommands(names: readonly string[]): void {
  const unknown = names.filter((name) => !readTable().rows.some(([command]) => commandOf(command) === name));
  if (unknown.length > 0) throw new Error(`CONTRIBUTING.md has no row of ${unknown.join(', ')}`);
  for (const [cell] of readTable().rows) {
    const command = commandOf(cell);
    if (names.length > 0 && !names.includes(command)) continue;
    const measured = command === CHANGED_COMMAND ? withChange(() => measure(command)) : measure(command);
    const { text, rows } = readTable();
    const table = rows.map((row) => (row[0] === cell ? [cell, row[1], ...measured] : row));
    const lines = table.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
    const [head, rest] = text.split(BEGIN) as [string, string];
    const heading = rest.split('\n').slice(0, 2).join('\n');
    writeFileSync(CONTRIBUTING, `${head}${BEGIN}${heading}\n${lines}${rest.slice(rest.indexOf(END))}`);
  }
}

/** The table of CONTRIBUTING.md, and the page around it. */
function readTable(): { text: string; rows: Row[] } {
  const text = readFileSync(CONTRIBUTING, 'utf8');
  const [, part] = text.split(BEGIN);
  if (part === undefined || !part.includes(END))
    throw new Error(`CONTRIBUTING.md has no table between ${BEGIN} and ${END}`);
  const lines = part.slice(0, part.indexOf(END)).trimEnd().split('\n').slice(2);
  return { text, rows: lines.map((line) => line.slice(2, -2).split(' | ') as Row) };
}

function commandOf(cell: string): string {
  return cell.replaceAll('`', '');
}

/** Runs something while a source file differs from its commit. */
function withChange<T>(run: () => T): T {
  const text = readFileSync(CHANGED_FILE, 'utf8');
  writeFileSync(CHANGED_FILE, `${text}\n`);
  try {
    return run();
  } finally {
    writeFileSync(CHANGED_FILE, text);
  }
}

/** Runs a command; throws where it fails, as its figures are not those of the tests then. */
function measure(command: string): [tests: string, wall: string, cpu: string, load: string] {
  const folder = mkdtempSync(join(tmpdir(), 'edgeloom-times-'));
  const countsFile = join(folder, 'counts.jsonl');
  try {
    writeFileSync(countsFile, '');
    const load = loadavg()[0]!.toFixed(1);
    const startMs = performance.now();
    const startCpu = cpuSecondsOfTree(process.pid);
    const env = { ...process.env, EDGELOOM_TEST_COUNTS: countsFile };
    const { status } = spawnSync('bash', ['-c', command], { stdio: 'inherit', env });
    const wallSeconds = (performance.now() - startMs) / 1000;
    const cpuSeconds = cpuSecondsOfTree(process.pid) - startCpu;
    const counts = jsonLines<Counts>(countsFile);
    const tests = counts.reduce((sum, { passed }) => sum + passed, 0);
    const text = `${duration(wallSeconds)} of wall, ${duration(cpuSeconds)} of CPU`;
    if (status !== 0) throw new Error(`${command} ended with ${status}, after ${text}`);
    console.log(`${command}: ${text}`);
    return [tests === 0 ? '' : tests.toLocaleString('en-US'), duration(wallSeconds), duration(cpuSeconds), load];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures the test files one by one, and prints the most expensive as a table. */
function measureFiles(chosen: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'edgeloom-times-'));
  const timesFile = join(folder, 'times.jsonl');
  try {
    const load = loadavg()[0]!.toFixed(1);
    const reporters = ['--reporter', './scripts/tests/files-reporter.ts', '--reporter', 'default'];
    const env = { ...process.env, EDGELOOM_TESTS: 'all', EDGELOOM_TEST_TIMES: timesFile };
    const { status } = spawnSync('npx', ['vitest', 'run', '--maxWorkers', '1', ...reporters, ...chosen], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env,
    });
    const times = jsonLines<FileTime>(timesFile);
    const total = times.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    const [{ model } = { model: 'unknown' }] = cpus();
    console.log(
      `\n${times.length} files, ${duration(total)} of CPU; ${availableParallelism()} cores (${model}), Node ${process.version}, load before ${load}\n`,
    );
    console.log('| file | tests | CPU-seconds |\n|---|---:|---:|');
    const most = times.sort((left, right) => right.cpuSeconds - left.cpuSeconds).slice(0, MOST_EXPENSIVE);
    for (const { file, tests, cpuSeconds } of most)
      console.log(`| \`${file}\` | ${tests} | ${cpuSeconds.toFixed(1)} |`);
    process.exitCode = status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function jsonLines<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  // The reporters of these folders wrote them.
  return lines.map((line) => JSON.parse(line) as T);
}

function duration(seconds: number): string {
  return seconds < 100 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
}
