import { parseArgs } from 'node:util';
import { RUN_OPTIONS, runPack } from './kernel/long-run.ts';
import { PACK_NAMES, type PackName } from './kernel/packs.ts';
import { PLANTED } from './planted/all.ts';

/** `npm run simulate -- PACK`: long runs of a pack of schedules. */

const USAGE = `Usage: npm run simulate -- PACK [--runs N] [--seed S] [--workers N] [--mutant NAME [--pin]] [--json]
       npm run simulate -- PACK --resume
       npm run simulate -- projecting --exhaustive SCOPE|all [--mutant NAME]

Packs: ${PACK_NAMES.join(', ')}.

Runs N schedules of a pack (default 10,000), of the seeds S (default 1), S + 1, ... The first schedules that fail are printed, shortened
where the pack can shorten, and the exit code is 1. --resume goes on with the run of the pack that was interrupted last. --mutant plants a
bug first, so that failures are what is expected; --pin keeps the first of them, shortened, as a schedule of the tests. --exhaustive runs every
schedule of a small scope; of all scopes it writes SCOPES.md.`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: RUN_OPTIONS });
const [name = ''] = positionals;
const planted = PLANTED.map(({ mutant }) => mutant);
const mutant = planted.find((one) => one.name === values.mutant);

if (values.help) {
  process.stdout.write(`${USAGE}\n`);
} else if (!(PACK_NAMES as string[]).includes(name)) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else if (values.mutant !== undefined && mutant === undefined) {
  process.stderr.write(`There is no planted bug ${values.mutant}. ${planted.map((one) => one.name).join(', ')}\n`);
  process.exitCode = 2;
} else if (values.exhaustive !== undefined) {
  const { walkScopes } = await import('./exhaustive/program.ts');
  await walkScopes(values.exhaustive, mutant);
} else {
  await runPack(name as PackName, values, mutant, USAGE);
}
