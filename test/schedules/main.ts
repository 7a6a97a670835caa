import { parseArgs } from 'node:util';
import { runJoined } from './joined.ts';
import { runTenants } from './tenants.ts';
import { runUpdates } from './updates.ts';
import { runWalks } from './walks.ts';

/**
 * Runs schedules: `npm run simulate -- updates --runs 20000 --seed 1`. Prints one JSON document, with the first failures; a
 * seed leads to its schedule again. Exit 1 where one failed.
 */
const KINDS: Record<string, (seed: number) => Promise<string[]>> = {
  joined: runJoined,
  tenants: (seed) => runTenants(seed),
  updates: runUpdates,
  walks: runWalks,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    'most-failures': { type: 'string', default: '5' },
  },
});
const run = KINDS[positionals[0] ?? ''];
if (run === undefined) throw new Error(`Name the kind of schedule: ${Object.keys(KINDS).join(', ')}.`);
const failures: { seed: number; failures: string[] }[] = [];
let runs = 0;
for (; runs < Number(values.runs) && failures.length < Number(values['most-failures']); runs++) {
  const seed = Number(values.seed) + runs;
  const found = await run(seed);
  if (found.length > 0) failures.push({ seed, failures: found });
}
process.stdout.write(`${JSON.stringify({ runs, failed: failures.length, failures })}\n`);
process.exitCode = failures.length > 0 ? 1 : 0;
