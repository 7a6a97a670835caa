// `npm run test:all`, or `.ci/run` with names of parts. A part that fails doesn't stop the others. The last lines list
// the failures and add up the tests.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VITEST = ['npx', 'vitest', 'run'];
const DYNAMODB_LOCAL = { EDGELOOM_TEST_ENGINE: 'dynamodb-local' };
const WHOLE = { EDGELOOM_TEST_EXTENT: 'all' };

/** `counts`: the command counts its tests. Any other command counts as one test. */
const PARTS = {
  lint: npm('lint'),
  typecheck: npm('typecheck'),
  demo: npm('demo'),
  test: { ...npm('test'), counts: true },
  // Compares the CPU times that `test` measured, so it comes later.
  cpu: { command: ['node', 'scripts/tests/cpu.mjs'] },
  // A quarter of the tests that `test` leaves out, and planted bugs of changed files.
  rest: { ...npm('test:rest'), counts: true },
  whole: { command: VITEST, env: WHOLE, counts: true },
  // The store's contract tests, and one write through the whole system.
  'dynamodb-local': {
    command: [
      ...VITEST,
      '--project',
      'contract',
      '--project',
      'integration',
      'test/contract',
      'test/integration/smoke',
    ],
    ...{ env: DYNAMODB_LOCAL, counts: true, needs: 'java' },
  },
  'dynamodb-local-whole': {
    command: [...VITEST, '--project', 'contract', '--project', 'integration'],
    ...{ env: { ...DYNAMODB_LOCAL, ...WHOLE }, counts: true, needs: 'java' },
  },
  // The functions' release of Node without unit tests. `nodes` runs all supported releases with unit tests.
  node: { command: ['npx', 'tsx', 'scripts/test-nodes.ts', '--short', '24'], counts: true },
  nodes: { command: ['npx', 'tsx', 'scripts/test-nodes.ts', '22', '24'], counts: true },
  localstack: { ...npm('test:localstack'), counts: true },
  bench: { command: ['node', 'scripts/bench.mjs', 'all', '--short'] },
};
const ALL = ['whole', 'dynamodb-local-whole', 'nodes', 'bench'];

const names = process.argv.length > 2 ? process.argv.slice(2) : ALL;
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. The parts: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'edgeloom-tests-'));
const countsFile = join(folder, 'counts.jsonl');
const lines = [];
const all = { passed: 0, skipped: 0, failures: [] };
try {
  for (const name of names) {
    const startMs = Date.now();
    const counts = run(name, PARTS[name]);
    add(counts, all);
    const line = `${name}: ${text(counts)}, ${Math.round((Date.now() - startMs) / 1000)} s`;
    // Printed at once, so that a stopped run has shown the finished parts.
    console.log(line);
    lines.push(line);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const { test, file, error } of all.failures) console.log(`\nfailed: ${test}\n  ${file}\n  ${error}`);
console.log(`\n${lines.join('\n')}\n${text(all)}`);
process.exitCode = all.failures.length === 0 ? 0 : 1;
const { EDGELOOM_TEST_COUNTS: outer } = process.env;
if (outer !== undefined) appendFileSync(outer, `${JSON.stringify(all)}\n`);

function npm(script) {
  return { command: ['npm', 'run', '--silent', script] };
}

/** A part that runs no test, or fails without a failed test, counts as one failure. */
function run(name, { command, env, counts: isCounted = false, needs }) {
  if (needs !== undefined && spawnSync(needs, ['-version']).error !== undefined) {
    console.log(`No ${needs}: ${name} is left out.`);
    return { passed: 0, skipped: 1, failures: [] };
  }
  console.log(`\n${new Date().toISOString()} ${command.join(' ')}`);
  writeFileSync(countsFile, '');
  const [program, ...args] = command;
  const { status } = spawnSync(program, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env, EDGELOOM_TEST_COUNTS: countsFile },
  });
  const counts = { passed: 0, skipped: 0, failures: [] };
  for (const line of readFileSync(countsFile, 'utf8').split('\n').filter(Boolean)) add(JSON.parse(line), counts);
  for (const failure of counts.failures) failure.file = `${failure.file} (${name})`;
  if (!isCounted && status === 0) counts.passed = 1;
  const ranNothing = counts.passed + counts.failures.length === 0;
  if (counts.failures.length === 0 && (status !== 0 || ranNothing)) {
    const error = status === 0 ? 'It ran no test.' : `It ended with ${status}.`;
    counts.failures.push({ test: name, file: command.join(' '), error });
  }
  return counts;
}

function add({ passed, skipped, failures }, sum) {
  sum.passed += passed;
  sum.skipped += skipped;
  sum.failures.push(...failures);
}

function text({ passed, skipped, failures }) {
  return `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
