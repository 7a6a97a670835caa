// `npm run test:changed`: the tests of `npm test` that depend on files that differ from a commit, HEAD or the one that is named.
import { spawnSync } from 'node:child_process';

/** They read the sources and pages as texts, so that no import says that they depend on them. */
const READERS = ['architecture', 'docs', 'docs-names', 'plain-words', 'planted-bugs'].map(
  (name) => `test/unit/${name}.test.ts`,
);
const PROJECTS = ['unit', 'contract', 'integration', 'hostile', 'property'].flatMap((name) => ['--project', name]);

const [commit = 'HEAD'] = process.argv.slice(2);
const others = READERS.flatMap((file) => ['--exclude', file]);
const statuses = [
  vitest('--project', 'unit', ...READERS),
  vitest('--changed', commit, '--passWithNoTests', ...PROJECTS, ...others),
];
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;

function vitest(...args) {
  return spawnSync('npx', ['vitest', 'run', ...args], { stdio: 'inherit' }).status;
}
