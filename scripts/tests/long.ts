import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { PACK_NAMES, type PackName } from '../../test/simulator/kernel/packs.ts';

/**
 * `npm run test:long`: runs hundreds of thousands of schedules of every pack, in slices. A run continues after the last
 * finished slice. After all packs have finished a round, the next round uses other seeds. `-- --minutes N` stops the
 * run earlier.
 */

const ROUND = 100_000;
/** Schedules per slice, which take some minutes. */
const SLICE = 5_000;
/** Sizes of slices of packs whose schedules take much more or much less time. */
const SLICES: Partial<Record<PackName, number>> = { evolution: 2_000, observer: 2_000, projecting: 20_000 };

interface Kept {
  round: number;
  /** Schedules that this round has run, by pack. */
  done: Partial<Record<PackName, number>>;
  /** Commands of the slices that failed. */
  failed: string[];
}

const FILE = new URL('../../.cache/test-long.json', import.meta.url);

const { values } = parseArgs({ options: { minutes: { type: 'string', default: 'Infinity' } } });
const endMs = Date.now() + Number(values.minutes) * 60_000;
const { round, done, failed } = kept();
let isStopped = false;
process.on('SIGINT', () => {
  isStopped = true;
});
for (const pack of PACK_NAMES) {
  for (let ran = done[pack] ?? 0; ran < ROUND && !isStopped; ran = done[pack] ?? 0) {
    const runs = Math.min(SLICES[pack] ?? SLICE, ROUND - ran);
    const seed = 1 + round * ROUND + ran;
    const workers = availableParallelism();
    const command = `run simulate -- ${pack} --workers ${workers} --runs ${runs} --seed ${seed}`;
    console.log(`\n> npm ${command}`);
    const [status] = await once(spawn('npm', ['--silent', ...command.split(' ')], { stdio: 'inherit' }), 'close');
    if (isStopped) break;
    if (status !== 0) failed.push(`npm ${command}`);
    done[pack] = ran + runs;
    keep({ round, done, failed });
    isStopped = Date.now() >= endMs;
  }
}
const isDone = !isStopped;
if (isDone) keep({ round: round + 1, done: {}, failed: [] });
for (const command of failed) console.log(`failed: ${command}`);
console.log(isDone ? `Round ${round + 1} is done.` : 'It is not done: npm run test:long continues it.');
process.exitCode = (isDone || Date.now() >= endMs) && failed.length === 0 ? 0 : 1;

function kept(): Kept {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Kept;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    return { round: 0, done: {}, failed: [] };
  }
}

function keep(state: Kept): void {
  mkdirSync(new URL('.', FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify(state));
}
