import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/command.ts';
import { run } from '../support/packed.ts';

it('the entry points are as api/ has them, and have every type that a signature names: npm run api writes both', async () => {
  const report = [join(ROOT, 'scripts/api-report.mjs'), '--check'];
  const { stderr } = await run(process.execPath, report).catch((error: { stderr: string }) => error);
  expect(stderr).toBe('');
}, 60_000);
