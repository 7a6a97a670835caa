// `npm version` runs it when package.json has the new version: the changelog's section "Unreleased" becomes that version's, of today, and an
// empty one stands above it. Exits with 1 where nothing is unreleased.
import { readFileSync, writeFileSync } from 'node:fs';

const HEADING = '## Unreleased\n';
// npm runs it in the package's folder.
const file = 'CHANGELOG.md';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const text = readFileSync(file, 'utf8');
const [, section] = text.split(HEADING);
if (section === undefined || section.split('\n## ')[0].trim() === '') {
  console.error(
    'CHANGELOG.md has nothing under "## Unreleased": write down what the version changes, then run npm version again.',
  );
  process.exit(1);
}
const today = new Date().toISOString().slice(0, 10);
writeFileSync(file, text.replace(HEADING, `${HEADING}\n## ${version} (${today})\n`));
