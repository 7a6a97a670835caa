// `npm run words`: counts the phrases that docs/reference/glossary.md replaces, folder by folder. `-- --write` lowers the recorded counts,
// which a test compares; `-- FOLDER` prints each line that has one; `-- docs` counts the words of the pages too.
import { readFileSync, writeFileSync } from 'node:fs';
import { COUNTS_FILE, countsByFolder, docWords, MAX_DOC_WORDS, phrases } from '../test/support/plain-words.ts';

const [argument] = process.argv.slice(2);
const found = phrases();
const counts = countsByFolder(found);
if (argument === '--write') {
  const recorded = JSON.parse(readFileSync(COUNTS_FILE, 'utf8')) as Record<string, number>;
  const higher = Object.entries(counts).filter(([folder, count]) => count > (recorded[folder] ?? 0));
  if (higher.length > 0) {
    for (const [folder, count] of higher) console.error(`${folder}: ${count}, recorded are ${recorded[folder] ?? 0}`);
    process.exit(1);
  }
  writeFileSync(COUNTS_FILE, `${JSON.stringify(counts, null, 2)}\n`);
} else if (argument === undefined) {
  for (const [folder, count] of Object.entries(counts)) console.log(`${String(count).padStart(5)}  ${folder}`);
  console.log(`${String(found.length).padStart(5)}  in all`);
} else {
  for (const { path, line, phrase, text } of found) {
    if (path.startsWith(argument)) console.log(`${path}:${line}  [${phrase}]  ${text}`);
  }
  if (argument === 'docs') {
    const words = Object.entries(docWords());
    for (const [page, count] of words) console.log(`${String(count).padStart(6)}  ${page}`);
    const all = words.reduce((sum, [, count]) => sum + count, 0);
    console.log(`${String(all).padStart(6)}  words in all, of at most ${MAX_DOC_WORDS}`);
  }
}
