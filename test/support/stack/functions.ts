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
 * Loads the packaged function of the stage `prod` as Lambda does, with its environment in place when its module is read, which is
 * never the same module twice. Files whose path is one of `without` are taken away before.
 */
export async function loadFunction(
  name: 'stream' | 'check' | 'rebuild' | 'redrive',
  environment: Readonly<Record<string, string>>,
  { without }: { without?: RegExp } = {},
): Promise<PackagedHandler> {
  const folder = mkdtempSync(join(tmpdir(), 'edgeloom-function-'));
  // A function imports files of its package while it runs.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const before = { ...process.env };
  try {
    const paths = unpack(join(inject('packages').prod, `${name}.zip`), folder);
    for (const path of paths) if (without?.test(path)) rmSync(join(folder, path));
    Object.assign(process.env, environment);
    loaded += 1;
    const url = `${pathToFileURL(join(folder, 'handlers', `${name === 'rebuild' ? 'check' : name}.mjs`)).href}?${loaded}`;
    return ((await import(/* @vite-ignore */ url)) as { handler: PackagedHandler }).handler;
  } finally {
    for (const variable of Object.keys(environment)) {
      if (before[variable] === undefined) delete process.env[variable];
      else process.env[variable] = before[variable];
    }
  }
}
