import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { keepSeed } from '../simulator/planted/shown.ts';

const folder = mkdtempSync(join(tmpdir(), 'edgeloom-seeds-'));
const path = join(folder, 'shown-at.json');
const file = pathToFileURL(path);
const kept = (): unknown => JSON.parse(readFileSync(path, 'utf8'));

describe('a kept seed', () => {
  beforeEach(() => writeFileSync(path, '{"walks":{"old":9}}'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('stands beside those of other bugs and packs, by name, and replaces an older one', () => {
    keepSeed('walks', 'new', 31, file);
    keepSeed('walks', 'old', 40, file);
    keepSeed('native', 'other', 22, file);
    expect(kept()).toEqual({ walks: { new: 31, old: 40 }, native: { other: 22 } });
    expect(Object.keys((kept() as { walks: object }).walks)).toEqual(['new', 'old']);
  });

  it('is refused, with the file to delete, where a process has ended and left its lock', () => {
    const lock = `${path}.lock`;
    writeFileSync(lock, '');
    expect(() => keepSeed('walks', 'new', 31, file, 3)).toThrow(`${lock} is kept by a process`);
    expect(kept()).toEqual({ walks: { old: 9 } });
    rmSync(lock);
    keepSeed('walks', 'new', 31, file, 3);
    expect(kept()).toEqual({ walks: { new: 31, old: 9 } });
  });

  it('is not lost where several processes keep theirs at once', async () => {
    const keeping = `
      import { keepSeed } from ${JSON.stringify(new URL('../simulator/planted/shown.ts', import.meta.url).href)};
      for (let n = 0; n < 40; n += 1) keepSeed('walks', process.argv[1] + n, 21, new URL(${JSON.stringify(file.href)}));`;
    const run = promisify(execFile);
    const flags = ['--import', 'tsx', '--input-type=module', '--eval', keeping];
    await Promise.all(['a', 'b', 'c'].map((name) => run(process.execPath, [...flags, name])));
    expect(Object.keys((kept() as { walks: object }).walks)).toHaveLength(121);
  });
});
