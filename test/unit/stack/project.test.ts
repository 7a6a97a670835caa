import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const ASSETS = new URL('../../../assets/project/', import.meta.url);

it('a new project compiles all of its folders, its own src among them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-project-'));
  try {
    await cp(new URL('tsconfig.json', ASSETS), join(folder, 'tsconfig.json'));
    const files = ['handlers/a.ts', 'src/b.ts', 'src/deep/c.ts', 'test/d.ts', 'edgeloom.config.ts'];
    for (const file of files) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), 'export {};\n');
    }
    const listed = await promisify(execFile)(process.execPath, [TSC, '-p', folder, '--listFilesOnly']).catch(
      ({ stdout }: { stdout: string }) => ({ stdout }),
    );
    for (const file of files) expect(listed.stdout).toContain(file);
  } finally {
    await rm(folder, { recursive: true });
  }
});
