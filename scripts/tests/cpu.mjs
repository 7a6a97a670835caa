// `node scripts/tests/cpu.mjs`: lists test files whose CPU time in the last `npm test` grew beyond
// `test/cpu-seconds.json`. Fails only for growth that a busy machine can't explain. `--keep` saves the new figures.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const MEASURED = new URL('../../.cache/test-cpu.json', import.meta.url);
const KEPT = new URL('../../test/cpu-seconds.json', import.meta.url);
/** Times of shorter files aren't saved. */
const LEAST_SECONDS = 2;
/** A file has grown if its time exceeds both the multiple and the sum. */
const GROWN = { times: 1.5, seconds: 5 };
const FAILED = { times: 4, seconds: 30 };
const BUDGET_SECONDS = 360;

if (!existsSync(MEASURED)) {
  console.error('There are no figures of a whole run. Run `npm test` first.');
  process.exit(1);
}
const measured = JSON.parse(readFileSync(MEASURED, 'utf8'));
const total = Object.values(measured).reduce((sum, seconds) => sum + seconds, 0);
if (process.argv.includes('--keep')) {
  const files = Object.entries(measured).filter(([, seconds]) => seconds >= LEAST_SECONDS);
  const kept = Object.fromEntries(files.sort().map(([file, seconds]) => [file, Math.round(seconds)]));
  writeFileSync(KEPT, `${JSON.stringify({ total: Math.round(total), files: kept }, null, 2)}\n`);
}
const kept = JSON.parse(readFileSync(KEPT, 'utf8'));
const grown = Object.entries(measured)
  .map(([file, seconds]) => ({ file, seconds, before: kept.files[file] ?? LEAST_SECONDS }))
  .filter((row) => isBeyond(row, GROWN))
  .sort((left, right) => right.seconds - right.before - (left.seconds - left.before));
console.log(`CPU of npm test: ${Math.round(total)} s, kept ${kept.total} s, budget ${BUDGET_SECONDS} s.`);
for (const { file, seconds, before } of grown)
  console.log(`  grew: ${file} ${Math.round(seconds)} s, kept ${before} s`);
const failed = grown.filter((row) => isBeyond(row, FAILED));
if (failed.length > 0) {
  console.error(
    `Make ${failed.map(({ file }) => file).join(', ')} cheaper, or keep the figures: node scripts/tests/cpu.mjs --keep`,
  );
  process.exit(1);
}

function isBeyond({ seconds, before }, bound) {
  return seconds > before * bound.times && seconds > before + bound.seconds;
}
