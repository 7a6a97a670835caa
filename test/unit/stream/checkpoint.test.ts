import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Checkpoint, fileCheckpoint, memoryCheckpoint } from '../../../src/stream/checkpoint.ts';

const CHECKPOINT: Checkpoint = {
  version: 1,
  streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2026-01-01T00:00:00.000',
  shards: [
    { shardId: 'shardId-1', sequenceNumber: '1234567890123456789012345678901234567890', finished: false },
    { shardId: 'shardId-0', finished: true },
  ],
};

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-checkpoint-'));
  file = join(folder, 'checkpoint.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe.each([
  ['fileCheckpoint', () => fileCheckpoint(file)],
  ['memoryCheckpoint', () => memoryCheckpoint()],
])('%s', (_name, make) => {
  it('gives back what was saved last, digits and all, and nothing before', async () => {
    const store = make();
    expect(await store.load()).toBeUndefined();
    await store.save({ ...CHECKPOINT, shards: [] });
    await store.save(CHECKPOINT);
    expect(await store.load()).toEqual(CHECKPOINT);
  });
});

describe('a checkpoint file', () => {
  it('is in a folder that is made where it is missing, and leaves nothing else there', async () => {
    const nested = join(folder, 'a', 'b', 'checkpoint.json');
    await fileCheckpoint(nested).save(CHECKPOINT);
    expect(await readdir(join(folder, 'a', 'b'))).toEqual(['checkpoint.json']);
    expect(await fileCheckpoint(nested).load()).toEqual(CHECKPOINT);
  });

  it('is not disturbed by the half-written file of a process that was killed', async () => {
    const store = fileCheckpoint(file);
    await store.save(CHECKPOINT);
    await writeFile(`${file}.killed.tmp`, '{"version":1,"strea');
    expect(await store.load()).toEqual(CHECKPOINT);
    await store.save({ ...CHECKPOINT, shards: [] });
    expect(await store.load()).toEqual({ ...CHECKPOINT, shards: [] });
  });

  it('removes what killed saves left more than a minute ago, but no file that another worker may be about to rename', async () => {
    await fileCheckpoint(file).save(CHECKPOINT);
    const [old, young] = [1, 2].map((i) => `${file}.3f0c9a51-9d6b-4c36-8f43-0d8b7a5b9c1${i}.tmp`) as [string, string];
    for (const name of [old, young]) await writeFile(name, '{');
    await utimes(old, new Date(), Date.now() / 1000 - 61);
    expect(await fileCheckpoint(file).load()).toEqual(CHECKPOINT);
    expect((await readdir(folder)).sort()).toEqual(['checkpoint.json', basename(young)]);
  });

  it('is whole after saves of several workers at once, and nothing else is left', async () => {
    const stores = Array.from({ length: 8 }, () => fileCheckpoint(file));
    const saves = Array.from({ length: 20 }, () => stores.map((store) => store.save(CHECKPOINT))).flat();
    await Promise.all(saves);
    expect(await fileCheckpoint(file).load()).toEqual(CHECKPOINT);
    expect(await readdir(folder)).toEqual(['checkpoint.json']);
  });

  it('says so where a save fails, and leaves nothing else in the folder', async () => {
    await mkdir(file);
    await expect(fileCheckpoint(file).save(CHECKPOINT)).rejects.toMatchObject({
      code: 'file-failed',
      message: expect.stringContaining(file),
    });
    expect(await readdir(folder)).toEqual(['checkpoint.json']);
  });

  it.each([
    ['{"version":1,"strea'],
    [''],
    ['[]', "it isn't what a worker writes."],
    [JSON.stringify({ ...CHECKPOINT, version: 2 }), "version isn't what a worker writes."],
    [JSON.stringify({ ...CHECKPOINT, shards: [{ shardId: 'a', sequenceNumber: '12x', finished: false }] })],
    [JSON.stringify({ ...CHECKPOINT, shards: [{ shardId: 'a', sequenceNumber: 1e39, finished: false }] })],
  ])('that has %s is an error that names file and remedy, and stays as it is', async (text, reason = '') => {
    await writeFile(file, text);
    await expect(fileCheckpoint(file).load()).rejects.toMatchObject({
      code: 'invalid-file',
      message: expect.stringMatching(new RegExp(`${file} .*${reason}$`)),
      hint: expect.stringContaining('Delete it'),
    });
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('that is a folder is an error too', async () => {
    await mkdir(file);
    await expect(fileCheckpoint(file).load()).rejects.toMatchObject({ code: 'invalid-file' });
  });
});
