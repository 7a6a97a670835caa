import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** A failed test, or a suite, file or run that failed outside its tests. */
export interface Failure {
  /** Includes the names of its suites. Names the suite or file if no test failed. */
  test: string;
  file: string;
  error: string;
}

export interface Counts {
  passed: number;
  skipped: number;
  failures: Failure[];
}

/**
 * Appends the counts as a JSON line to the file EDGELOOM_TEST_COUNTS, if set, so that several runs can be added up. A
 * file that can't be loaded and a suite whose hook fails count as one failure each.
 */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const path = process.env['EDGELOOM_TEST_COUNTS'];
    if (path === undefined) return;
    const counts: Counts = { passed: 0, skipped: 0, failures: [] };
    for (const module of modules) addModule(module, counts);
    for (const error of unhandled) {
      const { VITEST_TEST_NAME: test = 'outside of the tests', VITEST_TEST_PATH: file = '' } = error;
      counts.failures.push({ test: String(test), file: fromHere(String(file)), error: firstLine([error]) });
    }
    appendFileSync(path, `${JSON.stringify(counts)}\n`);
  }
}

function addModule(module: TestModule, counts: Counts): void {
  const file = fromHere(module.moduleId);
  const before = counts.failures.length;
  for (const test of module.children.allTests()) {
    const { state, errors = [] } = test.result();
    if (state === 'passed') counts.passed += 1;
    else if (state === 'failed') counts.failures.push({ test: test.fullName, file, error: firstLine(errors) });
    else counts.skipped += 1;
  }
  for (const suite of module.children.allSuites()) {
    const errors = suite.errors();
    if (errors.length > 0) counts.failures.push({ test: suite.fullName, file, error: firstLine(errors) });
  }
  const errors = module.errors();
  const hasMore = errors.length > 0 || (module.state() === 'failed' && counts.failures.length === before);
  if (hasMore) counts.failures.push({ test: 'the file', file, error: firstLine(errors) });
}

function firstLine([error]: readonly { message: string }[]): string {
  const lines = stripVTControlCharacters(error?.message ?? '').split('\n');
  return lines.find((line) => line.trim() !== '') ?? 'without a message';
}

function fromHere(path: string): string {
  return relative(process.cwd(), path);
}
