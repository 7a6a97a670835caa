import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuardedProcess } from '../../src/foundation/guarded-process.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-guarded-'));
  await writeFile(join(folder, 'seed.db'), 'seed');
});
afterEach(() => rm(folder, { recursive: true }));

/** A program with a scratch folder, which prints what is in the folder and runs until it is ended. */
async function started(seed = join(folder, 'seed.db')) {
  const path = join(folder, 'scratch');
  let output = '';
  const child = new GuardedProcess({
    file: '/bin/sh',
    args: ['-c', `ls ${path}; exec sleep 60`],
    scratch: { path, seed },
    onOutput: (chunk) => {
      output += chunk.toString();
    },
    onErrorOutput: (chunk) => {
      output += chunk.toString();
    },
  });
  return { child, path, output: () => output };
}

describe('the scratch folder of a guarded process', () => {
  it('holds its seed while the program runs, and goes with it', async () => {
    const { child, path, output } = await started();
    await expect.poll(output).toBe('seed.db\n');
    await child.stop();
    expect(existsSync(path)).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('goes although the guard itself gets %s', async (signal) => {
    const { child, path, output } = await started();
    await expect.poll(output).toBe('seed.db\n');
    process.kill(child.processGroup!, signal);
    await child.stop();
    expect(existsSync(path)).toBe(false);
  });

  it('does not stay where its seed cannot be copied: the program is not started', async () => {
    const { child, output } = await started(join(folder, 'none'));
    await child.ended;
    expect(output()).toContain('none');
    expect(await readdir(folder)).toEqual(['seed.db']);
  });
});
