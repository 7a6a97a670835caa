// Runs the unit and contract tests, and the test of the packed package, with the named releases of Node. `--short`
// leaves out the unit tests.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { installedTestPackage } from '../test/support/test-package.ts';

const { values, positionals: releases } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean' } },
});

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log(
    `Skipped: Node ${releases.join(' and ')} come as packages for Linux on x64 alone, not for ${process.platform} ${process.arch}.`,
  );
  process.exit(0);
}
const installed = await installedTestPackage('nodes');
const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
for (const release of releases) {
  const bin = join(installed, 'node_modules', `node-${release}-x64`, 'bin');
  if (!existsSync(join(bin, 'node'))) throw new Error(`there is no ${bin}/node`);
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` };
  for (const args of [
    [...(values.short ? [] : ['--project', 'unit']), '--project', 'contract'],
    ['--project', 'e2e', 'test/e2e/own-project.test.ts'],
  ]) {
    console.log(`Node ${release}: vitest run ${args.join(' ')}`);
    const { status } = spawnSync(join(bin, 'node'), [vitest, 'run', ...args], { stdio: 'inherit', env });
    if (status !== 0) process.exit(status ?? 1);
  }
}
