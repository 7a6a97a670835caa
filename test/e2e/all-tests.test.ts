import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CommandRun, ROOT, runNode } from '../support/command.ts';

/** What `.ci/run` ends with names each failure: few readers of a long log see more than its end. */

const CONFIG = `export default {
  test: { reporters: ['dot', ${JSON.stringify(join(ROOT, 'scripts/tests/counts-reporter.ts'))}], include: ['*.test.mjs'] },
};`;
const TESTS = {
  'adds.test.mjs': `import { describe, expect, it } from 'vitest';
describe('a sum', () => {
  it('is right', () => expect(1 + 1).toBe(2));
  it('is wrong', () => expect(1 + 1, 'the sum of\\nboth').toBe(3));
  it.skip('is left out', () => undefined);
});`,
  'hook.test.mjs': `import { beforeAll, describe, it } from 'vitest';
describe('a suite', () => {
  beforeAll(() => { throw new Error('no engine'); });
  it('never runs', () => undefined);
});`,
  'broken.test.mjs': `import './not-there.mjs';`,
  'late.test.mjs': `import { it } from 'vitest';
it('leaves a promise', async () => {
  Promise.reject(new Error('nobody waits'));
  await new Promise((resolve) => setTimeout(resolve, 50));
});`,
};

describe('all tests with failures', () => {
  let folder: string;
  let run: CommandRun;

  beforeAll(async () => {
    await mkdir(join(ROOT, '.cache'), { recursive: true });
    // Inside the repository, so that vitest is found.
    folder = await mkdtemp(join(ROOT, '.cache', 'all-tests-'));
    const scripts = { lint: 'exit 3', typecheck: 'true', test: 'vitest run' };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, scripts }));
    await writeFile(join(folder, 'vitest.config.mjs'), CONFIG);
    for (const [file, text] of Object.entries(TESTS)) await writeFile(join(folder, file), text);
    // These failures are not among those of the run that this test is part of.
    vi.stubEnv('EDGELOOM_TEST_COUNTS', undefined);
    run = await runNode([join(ROOT, 'scripts/tests/all.mjs'), 'lint', 'typecheck', 'test'], { cwd: folder });
    vi.unstubAllEnvs();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('end with the name, the file and the error of each, and with the sums', () => {
    expect(run.code).toBe(1);
    const end = run.stdout.slice(run.stdout.indexOf('\nfailed: ')).replace(/\d+ s$/gm, 'N s');
    const [, ...failed] = end.slice(0, end.indexOf('\n\nlint:')).split('failed: ');
    const named = failed.map((text) => text.trim().replaceAll('\n  ', ' | ')).sort();
    expect(named).toEqual([
      'a suite | hook.test.mjs (test) | no engine',
      'a sum > is wrong | adds.test.mjs (test) | the sum of',
      'leaves a promise | late.test.mjs (test) | nobody waits',
      'lint | npm run --silent lint | It ended with 3.',
      expect.stringMatching(/^the file \| broken\.test\.mjs \(test\) \| .*not-there\.mjs/),
    ]);
    expect(end.slice(end.indexOf('\n\nlint:')).trim().split('\n')).toEqual([
      'lint: 0 passed, 1 failed, N s',
      'typecheck: 1 passed, 0 failed, N s',
      'test: 2 passed, 4 failed, 2 skipped, N s',
      '3 passed, 5 failed, 2 skipped',
    ]);
  });
});
