import { parseArgs } from 'node:util';
import { runEvolution } from './schedule.ts';

/**
 * Runs schedules of model changes: `npm run simulate:evolution -- --runs N --seed S`. A failure prints its seed, which leads
 * to it again. `--until-failure` ends with the first. Exit code 1 where a schedule fails.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    'until-failure': { type: 'boolean', default: false },
  },
});
const first = Number(values.seed);
const runs = Number(values.runs);
const counters: Record<string, number> = {};
const startMs = Date.now();
let failed = 0;
let done = 0;
for (; done < runs && !(values['until-failure'] && failed > 0); done++) {
  const outcome = await runEvolution(first + done);
  for (const [what, times] of Object.entries(outcome.counters)) counters[what] = (counters[what] ?? 0) + times;
  if (outcome.failures.length === 0) continue;
  failed += 1;
  process.stdout.write(`seed ${first + done}: ${outcome.failures[0]}\n`);
}
const perSecond = Math.round((1000 * done) / (Date.now() - startMs));
process.stdout.write(`${done} schedules from seed ${first} on, ${perSecond} a second: ${failed} failed\n`);
for (const [what, times] of Object.entries(counters).sort())
  process.stdout.write(`${String(times).padStart(12)} ${what}\n`);
process.exitCode = failed > 0 ? 1 : 0;
