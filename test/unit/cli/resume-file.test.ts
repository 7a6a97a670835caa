import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatheredFindings } from '../../../packages/cli/commands/trust/gathered-findings.ts';
import { ResumeFile } from '../../../packages/cli/commands/trust/resume-file.ts';
import { emptyCounts } from '../../../src/trust/check/cursor.ts';

const CURSOR = { version: 1 as const, segments: 1, open: [{ segment: 0 }], suspects: [], totals: emptyCounts() };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resume-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

function fileOf(command: string): ResumeFile {
  return new ResumeFile(join(folder, 'place.json'), command, new GatheredFindings(3));
}

it('a command continues at its own place, and not at that of a command with other options', async () => {
  await fileOf('check --repair').keep(CURSOR);
  expect(await fileOf('check --repair').load()).toEqual(CURSOR);
  await expect(fileOf('check --repair --dry-run').load()).rejects.toMatchObject({
    code: 'invalid-cursor',
    message: expect.stringContaining('edgeloom check --repair, but this is edgeloom check --repair --dry-run.'),
  });
});

it('a file of an older version, which names no command, is continued', async () => {
  const file = join(folder, 'place.json');
  await fileOf('check').keep(CURSOR);
  const { command: _, ...older } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  await writeFile(file, JSON.stringify(older));
  expect(await fileOf('check --repair').load()).toEqual(CURSOR);
});

it('a resumed command removes what a killed save left more than a minute ago, and nothing else', async () => {
  await fileOf('check').keep(CURSOR);
  const young = 'place.json.3f0c9a51-9d6b-4c36-8f43-0d8b7a5b9c12.tmp';
  const others = ['other.json.3f0c9a51-9d6b-4c36-8f43-0d8b7a5b9c11.tmp', 'place.json.old.tmp', young];
  const left = 'place.json.3f0c9a51-9d6b-4c36-8f43-0d8b7a5b9c11.tmp';
  for (const name of [...others, left]) await writeFile(join(folder, name), '{');
  await utimes(join(folder, left), new Date(), Date.now() / 1000 - 61);
  expect(await fileOf('check').load()).toEqual(CURSOR);
  expect((await readdir(folder)).sort()).toEqual([...others, 'place.json'].sort());
});

it('a place that does not change is not written again, and goes once nothing is left', async () => {
  const file = fileOf('check');
  const written = async () => (await stat(join(folder, 'place.json'))).ino;
  await file.keep(CURSOR);
  const first = await written();
  await file.keep(CURSOR);
  expect(await written()).toBe(first);
  await file.keep({ ...CURSOR, segments: 2 });
  expect(await written()).not.toBe(first);
  await fileOf('check').load();
  await file.keep(undefined);
  expect(await readdir(folder)).toEqual([]);
});
