import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { measureAll } from '../../bench/support/command.ts';

const MODULE = fileURLToPath(new URL('../../bench/support/end-with-parent.ts', import.meta.url));
/** Starts a process as a benchmark does, and prints its number once it runs. */
const PARENT = `
const { execFile } = require('node:child_process');
const code = process.argv[1];
const child = execFile(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code]);
child.stdout.once('data', () => console.log(child.pid));
`;

const child = (rest: string): string =>
  `import { endWithParent } from ${JSON.stringify(MODULE)};\nendWithParent();\nconsole.log('up');\n${rest}`;

it('a process of a benchmark ends with the one that started it, even by SIGKILL', async () => {
  const parent = spawn(process.execPath, ['-e', PARENT, child('setInterval(() => undefined, 1000);')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
  const isRunning = (): boolean => {
    try {
      return process.kill(Number(pid), 0);
    } catch {
      return false;
    }
  };
  expect(isRunning()).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(isRunning, { interval: 50 }).toBe(false);
});

it('a process of a benchmark that is done ends although its parent runs', async () => {
  const args = ['--import', 'tsx', '--input-type=module', '-e', child('')];
  expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('up\n');
});

it('a benchmark that hangs is ended, and named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-bench-'));
  const said: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const { exitCode } = process;
  try {
    const program = join(folder, 'main.mjs');
    await writeFile(program, "process.on('SIGTERM', () => undefined);\nfor (;;);\n");
    const { benchmarks } = await measureAll(['search'], { program, json: true, short: true, mostSeconds: 1 }, false);
    expect(benchmarks).toEqual({});
    expect(said.join('')).toBe('The benchmark search took more than 1 s\n');
    expect(process.exitCode).toBe(1);
  } finally {
    process.exitCode = exitCode;
    await rm(folder, { recursive: true, force: true });
  }
});
