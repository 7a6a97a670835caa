// `npm run test:changed`: runs tests of files that differ from a commit (default: HEAD): all fast tests that depend on
// them, and other tests that import one of them.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** These tests read sources and pages as text, without importing them. */
const READERS = [
  ...['architecture', 'docs', 'docs-names', 'planted-bugs', 'releasing'].map((name) => `unit/${name}`),
  ...['expressions', 'limits'].map((name) => `hostile/${name}`),
].map((name) => `test/${name}.test.ts`);
const FAST = ['unit', 'contract'];
const OTHERS = ['integration', 'hostile', 'property'];

for (const file of READERS.filter((path) => !existsSync(path))) throw new Error(`there is no ${file}`);
const [commit = 'HEAD'] = process.argv.slice(2);
const changed = differing();
const statuses = [
  vitest(...projects('unit', 'hostile'), ...READERS),
  vitest(
    '--changed',
    commit,
    '--passWithNoTests',
    ...projects(...FAST),
    ...READERS.flatMap((file) => ['--exclude', file]),
  ),
];
const near = OTHERS.flatMap(testsOf).filter(
  (test) => changed.has(test) || imports(test).some((file) => changed.has(file)),
);
if (near.length > 0) statuses.push(vitest(...projects(...OTHERS), ...near));
// These tests run the built command, and import nothing of it.
if ([...changed].some((path) => /^(packages|test\/cli)\//.test(path))) statuses.push(vitest(...projects('cli')));
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;

function vitest(...args) {
  return spawnSync('npx', ['vitest', 'run', ...args], { stdio: 'inherit' }).status;
}

function projects(...names) {
  return names.flatMap((name) => ['--project', name]);
}

function differing() {
  const lines = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n');
  return new Set([...lines('diff', '--name-only', commit), ...lines('ls-files', '--others', '--exclude-standard')]);
}

function testsOf(project) {
  const files = readdirSync(`test/${project}`, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.test.ts')).map((file) => join('test', project, file));
}

function imports(file) {
  const found = readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g);
  return [...found].map(([, path]) => join(dirname(file), path));
}
