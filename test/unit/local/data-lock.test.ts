import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockDataFolder } from '../../../packages/local/engine/data-lock.ts';
import { defaultEngine } from '../../../packages/local/engine/engine.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('a data folder has one engine at a time, and is free again when that has let it go', async () => {
  const unlock = await lockDataFolder(folder);
  await expect(lockDataFolder(folder)).rejects.toMatchObject({
    code: 'already-running',
    message: `The data folder ${folder} is in use by process ${process.pid}.`,
  });
  await unlock();
  await unlock();
  expect(await readdir(folder)).toEqual([]);
  await (await lockDataFolder(folder))();
});

it('a data folder that another living process has is refused, with its process id and the file', async () => {
  const other = spawn('sleep', ['60']);
  try {
    const file = join(folder, `in-use-by-${other.pid}-1`);
    await writeFile(file, '');
    await expect(lockDataFolder(folder)).rejects.toMatchObject({
      code: 'already-running',
      hint: expect.stringContaining(file),
    });
    expect(await readdir(folder)).toEqual([`in-use-by-${other.pid}-1`]);
  } finally {
    other.kill('SIGKILL');
    await once(other, 'exit');
  }
});

it('a data folder whose process was killed is taken over, also where the dead one had the id of this one', async () => {
  const { pid } = spawnSync('true');
  for (const stale of [pid, process.pid]) await writeFile(join(folder, `in-use-by-${stale}-1`), '');
  const unlock = await lockDataFolder(folder);
  expect(await readdir(folder)).toHaveLength(1);
  await unlock();
});

it('of many that want a stale data folder at once, one gets it at most', async () => {
  const { pid } = spawnSync('true');
  for (let round = 0; round < 20; round++) {
    await writeFile(join(folder, `in-use-by-${pid}-${round}`), '');
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => lockDataFolder(folder)));
    const unlocks = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(unlocks.length).toBeLessThanOrEqual(1);
    for (const unlock of unlocks) await unlock();
    expect(await readdir(folder)).toEqual([]);
  }
});

it('where the embedded engine has no package, the one in memory is taken, or for data that is kept DynamoDB Local', async () => {
  const found = (): string => '/modules/dynoxide';
  const missing = (): never => {
    throw new Error('no package');
  };
  const [withJava, withoutJava] = [async () => true, async () => false];
  expect(await defaultEngine({}, found, withoutJava)).toBe('dynoxide');
  expect(await defaultEngine({ dataDir: 'data' }, found, withoutJava)).toBe('dynoxide');
  expect(await defaultEngine({}, missing, withJava)).toBe('memory');
  expect(await defaultEngine({ dataDir: 'data' }, missing, withJava)).toBe('dynamodb-local');
  await expect(defaultEngine({ dataDir: 'data' }, missing, withoutJava)).rejects.toThrow('no package');
});
