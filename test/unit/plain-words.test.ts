import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expectWithin } from '../support/bound.ts';
import { ROOT } from '../support/command.ts';
import { COUNTS_FILE, countsByFolder, docWords, MAX_DOC_WORDS, phrases } from '../support/plain-words.ts';

const recorded = JSON.parse(readFileSync(COUNTS_FILE, 'utf8')) as Record<string, number>;

it('no folder has more of the phrases that docs/reference/glossary.md replaces than it had: see npm run words -- FOLDER', () => {
  for (const [folder, count] of Object.entries(countsByFolder(phrases())))
    expectWithin(`phrases in ${folder}`, count, recorded[folder] ?? 0);
});

it(`the pages of docs have at most ${MAX_DOC_WORDS} words, but for decisions and pages that a program writes`, () => {
  const words = Object.values(docWords());
  expect(words.length).toBeGreaterThan(10);
  const all = words.reduce((sum, count) => sum + count, 0);
  expect(all, 'words of docs').toBeLessThanOrEqual(MAX_DOC_WORDS);
});

it('README.md has at most 700 words', () => {
  const words = readFileSync(join(ROOT, 'README.md'), 'utf8').trim().split(/\s+/);
  expectWithin('words of README.md', words.length, 700);
});
