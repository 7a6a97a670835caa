// Run by `npm version`: renames the changelog's section "Unreleased" to the new version. Exits with 1 if nothing is
// unreleased.
import { readFileSync, writeFileSync } from 'node:fs';

const HEADING = '## Unreleased\n';
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
