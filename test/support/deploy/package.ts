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
const NO_NETWORK = join(import.meta.dirname, 'no-network.mjs');

/** Packages the service into a folder, as `npm run package` does, without network; throws what it says where it fails. */
export function packageService(folder: string, args: readonly string[]): string {
  const program = join(ROOT, 'node_modules/serverless/bin/serverless.js');
  return execFileSync(process.execPath, [program, 'package', '--package', folder, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: `--import ${NO_NETWORK}`, SLS_TELEMETRY_DISABLED: '1' },
  });
}

/** Packages both stages, once for all tests. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'edgeloom-package-'));
  const packages = { dev: join(folder, 'dev'), prod: join(folder, 'prod') };
  for (const stage of ['dev', 'prod'] as const) packageService(packages[stage], ['--stage', stage]);
  project.provide('packages', packages);
  return () => rmSync(folder, { recursive: true, force: true });
}
