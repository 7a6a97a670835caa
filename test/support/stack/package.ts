import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

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
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'edgeloom-package-'));
  const packages = { dev: join(folder, 'dev'), prod: join(folder, 'prod') };
  for (const [stage, target] of Object.entries(packages)) {
    execFileSync(process.execPath, [PROGRAM, 'package', '--stage', stage, '--package', target], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: `--import ${NO_NETWORK}` },
    });
  }
  project.provide('packages', packages);
  return () => rmSync(folder, { recursive: true, force: true });
}
