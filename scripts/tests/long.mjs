// `npm run test:long`: hundreds of thousands of schedules in slices of seeds. Resumes after each slice; a finished round starts the next seeds.
// `-- --minutes N` stops earlier.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

const FILE = new URL('../../.cache/test-long.json', import.meta.url);
const WORKERS = ['--workers', String(availableParallelism())];

/** Schedules of a round, and of a slice of some minutes. */
const KINDS = {
  projecting: { args: ['projecting', ...WORKERS], round: 300_000, slice: 20_000 },
  evolution: { args: ['evolution', ...WORKERS], round: 100_000, slice: 4_000 },
  observer: { args: ['observer', ...WORKERS], round: 100_000, slice: 2_000 },
  verify: { args: ['verify', ...WORKERS], round: 100_000, slice: 5_000 },
  joined: { args: ['joined'], round: 300_000, slice: 20_000 },
  updates: { args: ['updates'], round: 200_000, slice: 20_000 },
  walks: { args: ['walks'], round: 40_000, slice: 4_000 },
  level: { args: ['level', ...WORKERS], round: 100_000, slice: 20_000 },
};

const { values } = parseArgs({ options: { minutes: { type: 'string', default: 'Infinity' } } });
const endMs = Date.now() + Number(values.minutes) * 60_000;
const { round, done, failed } = kept();
let isStopped = false;
process.on('SIGINT', () => {
  isStopped = true;
});
for (const [kind, { args, round: count, slice }] of Object.entries(KINDS)) {
  while ((done[kind] ?? 0) < count && !isStopped) {
    const seed = 1 + round * count + (done[kind] ?? 0);
    const runs = Math.min(slice, count - (done[kind] ?? 0));
    const command = ['simulate', '--', ...args, '--runs', String(runs), '--seed', String(seed)];
    console.log(`\n> npm run ${command.join(' ')}`);
    const [status] = await once(spawn('npm', ['run', '--silent', ...command], { stdio: 'inherit' }), 'close');
    // Ctrl-C ends the slice too, so it runs again.
    if (isStopped) break;
    if (status !== 0) failed.push(`npm run ${command.join(' ')}`);
    done[kind] = (done[kind] ?? 0) + runs;
    keep({ round, done, failed });
    isStopped = Date.now() >= endMs;
  }
}
const isDone = !isStopped;
if (isDone) keep({ round: round + 1, done: {}, failed: [] });
for (const command of failed) console.log(`failed: ${command}`);
console.log(isDone ? `Round ${round + 1} is done.` : 'It is not done: npm run test:long goes on with it.');
// A run stopped by its time succeeded.
process.exitCode = (isDone || Date.now() >= endMs) && failed.length === 0 ? 0 : 1;

function kept() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return { round: 0, done: {}, failed: [] };
  }
}

function keep(state) {
  mkdirSync(new URL('.', FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify(state));
}
