import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { shared } from '../shared.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of the packaged artefacts of each stage. */
    packages: Record<'dev' | 'prod', string>;
  }
}

const ROOT = resolve(import.meta.dirname, '../../..');
const PROGRAM = join(ROOT, 'node_modules/serverless/bin/serverless.js');
const NO_NETWORK = join(import.meta.dirname, 'no-network.mjs');

/** Packages both stages as `npm run package` does, once for all tests, and without network. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { value, undo } = await shared('package', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'edgeloom-package-'));
    const packages = { dev: join(folder, 'dev'), prod: join(folder, 'prod') };
    for (const [stage, target] of Object.entries(packages)) {
      execFileSync(process.execPath, [PROGRAM, 'package', '--stage', stage, '--package', target], {
        cwd: ROOT,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, NODE_OPTIONS: `--import ${NO_NETWORK}` },
      });
    }
    return { value: packages, undo: () => rmSync(folder, { recursive: true, force: true }) };
  });
  project.provide('packages', value);
  return undo;
}
