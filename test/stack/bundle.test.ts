import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, inject, it } from 'vitest';
import { loadFunction } from '../support/stack/functions.ts';

const MEGABYTE = 1024 * 1024;
/** The redrive function reads a queue's batches from a stream or a bucket, and sends what is left of one: three clients more. */
const MOST = { stream: MEGABYTE, check: MEGABYTE, rebuild: MEGABYTE, redrive: 1.1 * MEGABYTE };

describe.each(['stream', 'check', 'rebuild', 'redrive'] as const)('the packaged function %s', (name) => {
  const module = `handlers/${name === 'rebuild' ? 'check' : name}.mjs`;

  it('is one file of about a megabyte at most, unpacked, with its source map', () => {
    const files = unzipSync(readFileSync(join(inject('packages').prod, `${name}.zip`)));
    expect(Object.keys(files)).toEqual([module, `${module}.map`]);
    expect(files[module]!.length).toBeLessThanOrEqual(MOST[name]);
    // Names and lines alone: the sources themselves stay at home.
    const map = JSON.parse(Buffer.from(files[`${module}.map`]!).toString('utf8')) as { sources: string[] };
    expect(map).not.toHaveProperty('sourcesContent');
    expect(map.sources.some((source) => source.endsWith(module.replace('.mjs', '.ts')))).toBe(true);
  });
  it('imports nothing but what Node has', () => {
    const files = unzipSync(readFileSync(join(inject('packages').prod, `${name}.zip`)));
    const text = Buffer.from(files[module]!).toString('utf8');
    const imported = [...text.matchAll(/(?:^|[;}])import[^"'();]*?["']([^"']+)["']/g)].map(
      ([, specifier]) => specifier!,
    );
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((specifier) => !isBuiltin(specifier))).toEqual([]);
  });
  it('starts with its environment, and says what is wrong with another', async () => {
    expect(await loadFunction(name, { EDGELOOM_TABLE: 'records', AWS_REGION: 'eu-central-1' })).toBeTypeOf('function');
    await expect(loadFunction(name, { EDGELOOM_LOG_LEVEL: 'loud' })).rejects.toMatchObject({
      code: 'invalid-environment',
      message: expect.stringMatching(/EDGELOOM_TABLE.*EDGELOOM_LOG_LEVEL/),
    });
  });
});
