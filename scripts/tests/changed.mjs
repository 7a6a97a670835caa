// `npm run test:changed`: the tests of `npm test` that depend on files that differ from a commit, HEAD or the one that is named.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** They read the sources and pages as texts, so that no import says that they depend on them. */
const READERS = [
  ...['architecture', 'docs', 'docs-names', 'plain-words', 'planted-bugs', 'releasing'].map((name) => `unit/${name}`),
  ...['expressions', 'limits'].map((name) => `hostile/${name}`),
].map((name) => `test/${name}.test.ts`);
const PROJECTS = ['unit', 'contract', 'integration', 'hostile', 'property'].flatMap((name) => ['--project', name]);

for (const file of READERS.filter((path) => !existsSync(path))) throw new Error(`there is no ${file}`);
const [commit = 'HEAD'] = process.argv.slice(2);
const others = READERS.flatMap((file) => ['--exclude', file]);
const statuses = [
  vitest('--project', 'unit', '--project', 'hostile', ...READERS),
  vitest('--changed', commit, '--passWithNoTests', ...PROJECTS, ...others),
];
// They run the command that is built, and import nothing of it.
if (differing().some((path) => /^(src|test)\/cli\//.test(path))) statuses.push(vitest('--project', 'cli'));
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;

function vitest(...args) {
  return spawnSync('npx', ['vitest', 'run', ...args], { stdio: 'inherit' }).status;
}

/** Files that differ from the commit, and those that are new. */
function differing() {
  const lines = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n');
  return [...lines('diff', '--name-only', commit), ...lines('ls-files', '--others', '--exclude-standard')];
}
