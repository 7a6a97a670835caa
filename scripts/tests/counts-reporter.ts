import { appendFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** How many tests a run had. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Appends a line of JSON with the counts of a run to the file that EDGELOOM_TEST_COUNTS names, so that several runs can be summed
 * up. Without it, does nothing. A file that could not be loaded counts as one failure.
 */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const path = process.env['EDGELOOM_TEST_COUNTS'];
    if (path === undefined) return;
    const counts: Counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      const failedBefore = counts.failed;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === 'pending' ? 'skipped' : state] += 1;
      }
      if (module.state() === 'failed' && counts.failed === failedBefore) counts.failed += 1;
    }
    appendFileSync(path, `${JSON.stringify(counts)}\n`);
  }
}
