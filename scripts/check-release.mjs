// Runs before `npm publish`. Stops a release that couldn't be traced to its sources (docs/project/releasing.md).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();

const { version, repository, homepage, bugs } = JSON.parse(read('package.json'));
const problems = [];
if ([repository, homepage, bugs].includes(undefined)) {
  problems.push('package.json lacks repository, homepage or bugs: run node scripts/set-repository.mjs ADDRESS');
}
if (git('status', '--porcelain') !== '') problems.push('the work tree has changes that are not committed');
if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`))
  problems.push(`the commit has no tag v${version}`);
if (!read('CHANGELOG.md').includes(`\n## ${version}`)) problems.push(`CHANGELOG.md has no section ${version}`);
if (process.env.npm_config_provenance !== 'true') {
  problems.push('it is published without provenance: publish from the release workflow, with --provenance');
}

for (const problem of problems) console.error(`release: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
