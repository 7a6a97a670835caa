import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COUNTS_FILE, countsByFolder, phrases } from '../support/plain-words.ts';

const recorded = JSON.parse(readFileSync(COUNTS_FILE, 'utf8')) as Record<string, number>;

it('no folder has more of the phrases that docs/glossary.md replaces than it had: see npm run words -- FOLDER', () => {
  const higher = Object.entries(countsByFolder(phrases())).filter(([folder, count]) => count > (recorded[folder] ?? 0));
  expect(higher).toEqual([]);
});
