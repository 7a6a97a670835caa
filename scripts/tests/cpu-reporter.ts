import { mkdirSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** A run of fewer files isn't a run of all tests. */
const LEAST_FILES = 200;

/**
 * After a whole `npm test`, writes the CPU seconds of each test file to `.cache/test-cpu.json`. Shared engines and
 * builds aren't included.
 */
export default class CpuReporter implements Reporter {
  #root = process.cwd();

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < LEAST_FILES || process.env['EDGELOOM_TEST_EXTENT'] !== undefined) return;
    const figures = modules.map((module): [string, number] => [
      relative(this.#root, module.moduleId),
      module.meta().cpuSeconds ?? 0,
    ]);
    mkdirSync(`${this.#root}/.cache`, { recursive: true });
    writeFileSync(`${this.#root}/.cache/test-cpu.json`, JSON.stringify(Object.fromEntries(figures)));
  }
}
