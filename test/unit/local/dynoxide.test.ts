import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, watch, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dynoxideCommand, dynoxidePath, scratchRoot } from '../../../packages/local/engine/dynoxide.ts';

describe('dynoxidePath', () => {
  it('finds the program in the package of the platform', () => {
    const resolve = (specifier: string): string => `/modules/${specifier}`;
    expect(dynoxidePath('linux', 'x64', resolve)).toBe('/modules/@dynoxide/linux-x64/dynoxide');
    expect(dynoxidePath('win32', 'arm64', resolve)).toBe('/modules/@dynoxide/win32-arm64/dynoxide.exe');
  });

  it('says what to install where the package of the platform is missing', () => {
    const missing = (): never => {
      throw new Error('Cannot find module');
    };
    expect(() => dynoxidePath('sunos', 'sparc', missing)).toThrow(
      expect.objectContaining({
        code: 'not-installed',
        message: 'The embedded engine for this platform (@dynoxide/sunos-sparc) is not installed.',
        hint: expect.stringMatching(
          /npm install --no-save @dynoxide\/sunos-sparc@\d.*Java 17 for --engine dynamodb-local/,
        ),
      }),
    );
  });

  it('names a package that really is missing, with the real lookup', () => {
    expect(() => dynoxidePath('no-such-platform', 'x64')).toThrow('@dynoxide/no-such-platform-x64');
  });
});

describe('dynoxideCommand', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgeloom-dynoxide-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('keeps data in a file of the data folder, and leaves one that is there as it is', async () => {
    const database = join(folder, 'dynoxide.db');
    const { args, scratch } = await dynoxideCommand(8000, folder);
    expect(args).toEqual(['--port', '8000', '--db-path', database]);
    expect(scratch).toBeUndefined();
    await writeFile(database, 'kept');
    await dynoxideCommand(8000, folder);
    expect(await readFile(database, 'utf8')).toBe('kept');
  });

  it('leaves no half database where it is killed while it copies the first one', async () => {
    const database = join(folder, 'dynoxide.db');
    // What a kill in the middle of the copy leaves behind.
    await writeFile(`${database}.new`, 'SQLite format 3 and then nothing');
    await dynoxideCommand(8000, folder);
    const whole = await readFile(database);
    await dynoxideCommand(8000, folder);
    expect(whole.subarray(0, 15).toString()).toBe('SQLite format 3');
    expect(whole.length % 4096).toBe(0);
    expect(await readdir(folder)).toEqual(['dynoxide.db']);
  });

  it('writes the first database under another name until it is whole', async () => {
    const seen: string[] = [];
    const watching = new AbortController();
    const events = watch(folder, { signal: watching.signal });
    const noting = (async () => {
      for await (const { filename } of events) seen.push(filename ?? '');
    })().catch(() => undefined);
    await dynoxideCommand(8000, folder);
    await expect.poll(() => seen).toContain('dynoxide.db');
    watching.abort();
    await noting;
    expect(seen[0]).toBe('dynoxide.db.new');
  });

  it('works in a scratch folder where none is given', async () => {
    const { args, scratch } = await dynoxideCommand(8000, undefined);
    expect(args.at(-1)).toBe(join(scratch!.path, basename(scratch!.seed)));
    // The guard of the process makes it: a folder that is made here would stay if this process is killed before there is a guard.
    expect(existsSync(scratch!.path)).toBe(false);
  });

  it('starts from a database in which the stream is indexed', async () => {
    await dynoxideCommand(8000, folder);
    const database = await readFile(join(folder, 'dynoxide.db'), 'latin1');
    expect(database).toContain('edgeloom_stream_position');
    expect(database).toContain('edgeloom_stream_shard');
  });
});

describe('scratchRoot', () => {
  it('is in memory where the data fits there, and else where temporary files are', async () => {
    const memory = await mkdtemp(join(tmpdir(), 'edgeloom-memory-'));
    try {
      expect(await scratchRoot(1_000, memory)).toBe(memory);
      expect(await scratchRoot(Number.MAX_SAFE_INTEGER, memory)).toBe(tmpdir());
      expect(await scratchRoot(undefined, memory)).toBe(tmpdir());
      expect(await scratchRoot(1_000, join(memory, 'absent'))).toBe(tmpdir());
    } finally {
      await rm(memory, { recursive: true });
    }
  });
});
