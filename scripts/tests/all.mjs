// `npm run test:all`, and with names of parts what `.ci/run` runs: one part after the other, also where one fails. At the end it names
// what failed, as few readers of a long log see more. The last line says how many tests passed and failed in all of them.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Parts: an npm script each. `vitest` says that a script counts its tests; any other counts as one. */
const PARTS = {
  lint: { script: 'lint' },
  typecheck: { script: 'typecheck' },
  demo: { script: 'demo' },
  test: { script: 'test', vitest: true },
  // Everything that `test` leaves out, or `test` and that in one run.
  rest: { script: 'test:rest', vitest: true },
  whole: { script: 'test:whole', vitest: true },
  'dynamodb-local': { script: 'test:dynamodb-local', vitest: true, needs: 'java' },
  nodes: { script: 'test:nodes', vitest: true },
  // Each benchmark once, at its smallest size: one that is broken is seen.
  bench: { script: 'bench:short' },
};
const ALL = ['whole', 'dynamodb-local', 'nodes', 'bench'];

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
    lines.push(`${name}: ${text(counts)}, ${Math.round((Date.now() - startMs) / 1000)} s`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const { test, file, error } of all.failures) console.log(`\nfailed: ${test}\n  ${file}\n  ${error}`);
console.log(`\n${lines.join('\n')}\n${text(all)}`);
process.exitCode = all.failures.length === 0 ? 0 : 1;
const { EDGELOOM_TEST_COUNTS: outer } = process.env;
if (outer !== undefined) appendFileSync(outer, `${JSON.stringify(all)}\n`);

/** Runs a part, and gives its counts. A part that fails without a test that failed, or has run none, counts as one failure. */
function run(name, { script, vitest = false, needs }) {
  if (needs !== undefined && spawnSync(needs, ['-version']).error !== undefined) {
    console.log(`No ${needs}: npm run ${script} is left out.`);
    return { passed: 0, skipped: 1, failures: [] };
  }
  console.log(`\n> npm run ${script}`);
  writeFileSync(countsFile, '');
  const env = { ...process.env, EDGELOOM_TEST_COUNTS: countsFile };
  const { status } = spawnSync('npm', ['run', '--silent', script], { stdio: 'inherit', env });
  const counts = { passed: 0, skipped: 0, failures: [] };
  for (const line of readFileSync(countsFile, 'utf8').split('\n').filter(Boolean)) add(JSON.parse(line), counts);
  for (const failure of counts.failures) failure.file = `${failure.file} (${name})`;
  if (!vitest && status === 0) counts.passed = 1;
  const ranNothing = counts.passed + counts.failures.length === 0;
  if (counts.failures.length === 0 && (status !== 0 || ranNothing)) {
    const error = status === 0 ? 'It ran no test.' : `It ended with ${status}.`;
    counts.failures.push({ test: name, file: `npm run ${script}`, error });
  }
  return counts;
}

/** Adds counts to a sum. */
function add({ passed, skipped, failures }, sum) {
  sum.passed += passed;
  sum.skipped += skipped;
  sum.failures.push(...failures);
}

function text({ passed, skipped, failures }) {
  return `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
