import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Counts } from './counts-reporter.ts';
import { cpuSecondsOfTree } from './cpu-time.ts';

/**
 * On Linux, measures the commands of CONTRIBUTING.md's table, or the named ones, and writes the rows: `npx tsx
 * scripts/tests/times.ts [COMMAND...]`.
 */

const CONTRIBUTING = new URL('../../CONTRIBUTING.md', import.meta.url);
const BEGIN = '<!-- times: npx tsx scripts/tests/times.ts -->\n';
const END = '<!-- end of times -->';
/** Measured after a change of `CHANGED_FILE`, which is then undone. */
const CHANGED_COMMAND = 'npm run test:changed';
const CHANGED_FILE = new URL('../../src/core/plan/units.ts', import.meta.url);

interface Measured {
  passed: number;
  failed: number;
  wallSeconds: number;
  cpuSeconds: number;
  load: number;
}

type Row = [command: string, what: string, tests: string, wall: string, cpu: string, load: string];

measureCommands(process.argv.slice(2));

/** Writes each row as soon as it is measured. Exits with 1 if a command fails. */
function measureCommands(names: readonly string[]): void {
  const cells = readTable().rows.map(([cell]) => cell);
  const unknown = names.filter((name) => !cells.some((cell) => commandOf(cell) === name));
  if (unknown.length > 0) throw new Error(`CONTRIBUTING.md has no row of ${unknown.join(', ')}`);
  for (const cell of cells) {
    const command = commandOf(cell);
    if (names.length > 0 && !names.includes(command)) continue;
    const measured = command === CHANGED_COMMAND ? withChange(() => measure(command)) : measure(command);
    const { passed, failed, wallSeconds, cpuSeconds, load } = measured;
    const tests = failed === 0 ? count(passed) : `${count(passed)} of ${count(passed + failed)}`;
    writeRow(cell, [passed === 0 ? '' : tests, duration(wallSeconds), duration(cpuSeconds), load.toFixed(1)]);
    if (failed > 0) process.exitCode = 1;
  }
}

function writeRow(cell: string, measured: readonly string[]): void {
  const { text, rows } = readTable();
  const table = rows.map((row) => (row[0] === cell ? [cell, row[1], ...measured] : row));
  const lines = table.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  const [head, rest] = text.split(BEGIN) as [string, string];
  const heading = rest.split('\n').slice(0, 2).join('\n');
  writeFileSync(CONTRIBUTING, `${head}${BEGIN}${heading}\n${lines}${rest.slice(rest.indexOf(END))}`);
}

function readTable(): { text: string; rows: Row[] } {
  const text = readFileSync(CONTRIBUTING, 'utf8');
  const [, part] = text.split(BEGIN);
  if (part === undefined || !part.includes(END))
    throw new Error(`CONTRIBUTING.md has no table between ${BEGIN} and ${END}`);
  const lines = part.slice(0, part.indexOf(END)).trimEnd().split('\n').slice(2);
  const cellsOf = (line: string): string[] => line.split('|').slice(1, -1);
  return { text, rows: lines.map((line) => cellsOf(line).map((cell) => cell.trim()) as Row) };
}

function commandOf(cell: string): string {
  return cell.replaceAll('`', '');
}

function withChange<T>(run: () => T): T {
  const text = readFileSync(CHANGED_FILE, 'utf8');
  writeFileSync(CHANGED_FILE, `${text}\n`);
  try {
    return run();
  } finally {
    writeFileSync(CHANGED_FILE, text);
  }
}

/** Throws if the command fails without a failed test. */
function measure(command: string): Measured {
  const folder = mkdtempSync(join(tmpdir(), 'edgeloom-times-'));
  const countsFile = join(folder, 'counts.jsonl');
  try {
    writeFileSync(countsFile, '');
    const load = loadavg()[0]!;
    const startMs = performance.now();
    const startCpu = cpuSecondsOfTree(process.pid);
    const env = { ...process.env, EDGELOOM_TEST_COUNTS: countsFile };
    const { status } = spawnSync('bash', ['-c', command], { stdio: 'inherit', env });
    const wallSeconds = (performance.now() - startMs) / 1000;
    const cpuSeconds = cpuSecondsOfTree(process.pid) - startCpu;
    const counts = jsonLines<Counts>(countsFile);
    const passed = counts.reduce((sum, part) => sum + part.passed, 0);
    const failed = counts.reduce((sum, { failures }) => sum + failures.length, 0);
    const text = `${duration(wallSeconds)} of wall, ${duration(cpuSeconds)} of CPU`;
    if (status !== 0 && failed === 0) throw new Error(`${command} ended with ${status}, after ${text}`);
    console.log(`${command}: ${count(passed)} passed, ${count(failed)} failed, ${text}`);
    return { passed, failed, wallSeconds, cpuSeconds, load };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function jsonLines<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  // This repository's reporters wrote the file.
  return lines.map((line) => JSON.parse(line) as T);
}

function count(tests: number): string {
  return tests.toLocaleString('en-US');
}

function duration(seconds: number): string {
  return seconds < 100 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
}
