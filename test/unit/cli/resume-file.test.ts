import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
