import { parseArgs } from 'node:util';
import { KINDS, runSchedules } from './run.ts';

/**
 * Runs schedules: `npm run simulate -- updates --runs 20000 --seed 1`. Prints one JSON document, with the first failures; a
 * seed leads to its schedule again. Exit 1 where one failed.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    'most-failures': { type: 'string', default: '5' },
  },
});
const [kind = ''] = positionals;
if (!isKind(kind)) throw new Error(`Name the kind of schedule: ${Object.keys(KINDS).join(', ')}.`);
const most = { runs: Number(values.runs), failures: Number(values['most-failures']) };
const report = await runSchedules(kind, most, Number(values.seed));
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exitCode = report.failed > 0 ? 1 : 0;

function isKind(name: string): name is keyof typeof KINDS {
  return Object.hasOwn(KINDS, name);
}
