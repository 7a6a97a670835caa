import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { unpack } from '../zip.ts';

/** A packaged handler. */
// biome-ignore lint/suspicious/noExplicitAny: each function has its own events and responses
export type PackagedHandler = (event: any, context: unknown) => Promise<any>;

let loaded = 0;

/**
 * Loads the packaged function of a stage as Lambda does, with its environment in place when its module is read, which is
 * never the same module twice.
 */
export async function loadFunction(
  name: 'stream' | 'check' | 'rebuild' | 'redrive',
  environment: Readonly<Record<string, string>>,
  stage: 'dev' | 'prod' = 'prod',
): Promise<PackagedHandler> {
  const folder = mkdtempSync(join(tmpdir(), 'edgeloom-function-'));
  const before = { ...process.env };
  try {
    unpack(join(inject('packages')[stage], `${name}.zip`), folder);
    Object.assign(process.env, environment);
    loaded += 1;
    const url = `${pathToFileURL(join(folder, 'handlers', `${name === 'rebuild' ? 'check' : name}.mjs`)).href}?${loaded}`;
    return ((await import(/* @vite-ignore */ url)) as { handler: PackagedHandler }).handler;
  } finally {
    for (const variable of Object.keys(environment)) {
      if (before[variable] === undefined) delete process.env[variable];
      else process.env[variable] = before[variable];
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
