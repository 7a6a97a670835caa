import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/command.ts';
import { COUNTS_FILE, countsByFolder, docWords, MAX_DOC_WORDS, phrases } from '../support/plain-words.ts';

const recorded = JSON.parse(readFileSync(COUNTS_FILE, 'utf8')) as Record<string, number>;

it('no folder has more of the phrases that docs/glossary.md replaces than it had: see npm run words -- FOLDER', () => {
  const higher = Object.entries(countsByFolder(phrases())).filter(([folder, count]) => count > (recorded[folder] ?? 0));
  expect(higher).toEqual([]);
});

it(`the pages of docs have at most ${MAX_DOC_WORDS} words, but for decisions and pages that a program writes`, () => {
  const words = Object.values(docWords());
  expect(words.length).toBeGreaterThan(10);
  expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAX_DOC_WORDS);
});

it('README.md has at most 700 words', () => {
  const words = readFileSync(join(ROOT, 'README.md'), 'utf8').trim().split(/\s+/);
  expect(words.length).toBeLessThanOrEqual(700);
});
