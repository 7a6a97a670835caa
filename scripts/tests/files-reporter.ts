import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { cpuSecondsOfTree } from './cpu-time.ts';

/** CPU-seconds of one test file; those of a run's start, with its build and its engine, stand under the name `(start)`. */
export interface FileTime {
  readonly project: string;
  readonly file: string;
  readonly cpuSeconds: number;
  readonly tests: number;
}

/**
 * Appends a line of JSON for each test file to the file that EDGELOOM_TEST_TIMES names: what the run and everything that it
 * started spent since the file before. This needs a run with one worker, or files share their costs.
 */
export default class FilesReporter implements Reporter {
  #before = 0;
  #isStarted = false;

  onTestModuleQueued(): void {
    if (!this.#isStarted) this.#write('', '(start)', 0);
    this.#isStarted = true;
  }

  onTestModuleEnd(module: TestModule): void {
    this.#write(module.project.name, relative(process.cwd(), module.moduleId), [...module.children.allTests()].length);
  }

  #write(project: string, file: string, tests: number): void {
    const now = cpuSecondsOfTree(process.pid);
    const cpuSeconds = Math.round((now - this.#before) * 100) / 100;
    this.#before = now;
    const path = process.env['EDGELOOM_TEST_TIMES'];
    if (path === undefined) throw new Error('EDGELOOM_TEST_TIMES has to name the file for the measured times');
    appendFileSync(path, `${JSON.stringify({ project, file, cpuSeconds, tests } satisfies FileTime)}\n`);
  }
}
