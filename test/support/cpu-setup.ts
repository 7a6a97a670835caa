import { afterAll } from 'vitest';
import { cpuSecondsOfTree } from '../../scripts/tests/cpu-time.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU-seconds of the test file and of the processes that it started. */
    cpuSeconds?: number;
  }
}

const startSeconds = cpuSecondsOfTree(process.pid);

// biome-ignore lint/correctness/noEmptyPattern: the runner reads the parameter's text, and takes only a pattern.
afterAll(({}, file) => {
  file.meta.cpuSeconds = Math.round((cpuSecondsOfTree(process.pid) - startSeconds) * 100) / 100;
});
