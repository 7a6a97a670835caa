import { type Command, InvalidArgumentError } from 'commander';
import { loadSources } from '../../../../src/deployment/package/load-model.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { sleep } from '../../../../src/foundation/runtime.ts';
import type { SourceCheck } from '../../../../src/mirror/check.ts';
import { createMirror, type Mirror } from '../../../../src/mirror/mirror.ts';
import type { WalkResult } from '../../../../src/mirror/walks.ts';
import { DynamoDBSourceStore } from '../../../../src/store/source-table.ts';
import { namedSource } from '../../shared/named-source.ts';
import { examples } from '../../shared/options.ts';
import { startProgress } from '../../shared/progress.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';
import { createStopSignal } from '../../shared/signals.ts';

/** Something differs, or needs a person; not a failure of the command. */
const FOUND = 1;

/** The walks of `edgeloom mirror`, with what each is for. */
const WALKS = {
  snapshot: 'put what every source item makes: the first time, and after another version of the mapping',
  sweep: 'correct base items that an older version of the mapping left behind: after snapshot',
  reconcile: 'correct everything both ways: after records were lost, when the consumer has passed the gap',
} as const;

/** The flag for a source table that the command's own account does not have. */
const SOURCE_ARN = ['--source-arn <arn>', 'the ARN of the source table, if it is of another account'] as const;

interface SourceFlags {
  sourceArn?: string;
}

/** A source as a command line names it. */
interface NamedSource {
  table: string | undefined;
  sourceArn: string | undefined;
}

const HELP = `
The model file exports the sources: export const sources = [sourceTable('app-table', { map })]. SOURCE is the name of one; it may be left out if
there is one alone. The consumer of the source's stream has to run before snapshot begins. Wait as long as an invocation may live before
snapshot of another version, and before reconcile.

Exit code: 0, or 1 if the mapping does not take an item, and for check also if something differs or is in conflict; 2 after a failure.
Rights: dynamodb:GetItem, Scan on the source; dynamodb:GetItem, PutItem, Query, Scan on the table.
`;

/** `edgeloom mirror snapshot|sweep|reconcile|check`. */
export function mirrorCommand(mirror: Command): void {
  mirror.addHelpText('after', examples('mirror snapshot', 'mirror check app-table --repair'));
  for (const walk of Object.keys(WALKS) as (keyof typeof WALKS)[]) {
    mirror
      .command(walk)
      .description(WALKS[walk])
      .argument('[source]', 'the table of a source')
      .option(...SOURCE_ARN)
      .addHelpText('after', HELP + examples(`mirror ${walk}`, `mirror ${walk} app-table --json`))
      .action(
        inSession((session, table: string | undefined, { sourceArn }: SourceFlags) =>
          runWalk(session, walk, { table, sourceArn }),
        ),
      );
  }
  mirror
    .command('check')
    .description('compare source items and base items, item by item; correct what differs if asked')
    .argument('[source]', 'the table of a source')
    .option(...SOURCE_ARN)
    .option('--repair', 'correct what differs')
    .option('--settle <seconds>', 'how long a record may take before a difference counts', parseSeconds, 60)
    .addHelpText('after', HELP + examples('mirror check', 'mirror check app-table --repair --json'))
    .action(inSession(runSourceCheck));
}

function parseSeconds(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It should be a whole number of seconds.');
}

async function runWalk(session: CommandSession, walk: keyof typeof WALKS, of: NamedSource) {
  const result = await withMirror(session, of, (mirror, run) => mirror[walk](run));
  if (result.poisoned > 0) process.exitCode = FOUND;
  return { json: result, text: walkText(result) };
}

function walkText({ items, written, poisoned }: WalkResult): string {
  const left = poisoned === 0 ? '' : `; the mapping did not take ${countText(poisoned, 'item')}: see mirror check`;
  return `${countText(items, 'item')} read, ${countText(written, 'base item')} written${left}`;
}

async function runSourceCheck(
  session: CommandSession,
  table: string | undefined,
  { repair = false, settle, sourceArn }: SourceFlags & { repair?: boolean; settle: number },
) {
  const result = await withMirror(session, { table, sourceArn }, (mirror, run) =>
    mirror.check({
      ...run,
      repair,
      processed: async () => {
        await sleep(settle * 1000, run.signal);
        return true;
      },
    }),
  );
  const isLeft = result.differences.some(({ repaired }) => !repaired) || result.pending > 0;
  if (isLeft || result.conflicts.length + result.poisoned.length > 0) process.exitCode = FOUND;
  return { json: result, text: checkText(result) };
}

function checkText({ items, differences, pending, conflicts, poisoned }: SourceCheck): string {
  const lines = [
    ...differences.map(({ source, target, kind, maker, repaired }) => {
      const of = maker === '' ? 'no source item' : maker;
      return `${kind}: ${source} ${target}, of ${of}${repaired ? ': corrected' : ''}`;
    }),
    ...conflicts.map(({ source, target, shown, makers }) => {
      return `conflict: ${source} ${target} shows ${shown} of ${makers.join(', ')}`;
    }),
    ...poisoned.map(({ maker, reason }) => `not taken: ${maker}: ${reason}`),
  ];
  const found = `${countText(items, 'item')} compared, ${countText(differences.length, 'difference')}`;
  return [...lines, pending === 0 ? found : `${found}, ${pending} that may be late alone`].map(printable).join('\n');
}

async function withMirror<T>(
  { graph, store, client, settings }: CommandSession,
  { table, sourceArn }: NamedSource,
  run: (mirror: Mirror, options: { signal: AbortSignal; onProgress: (items: number) => void }) => Promise<T>,
): Promise<T> {
  const source = namedSource(await loadSources(settings.config), table, settings.config);
  // DynamoDB takes an ARN wherever it takes the name of a table.
  const sourceStore = new DynamoDBSourceStore(client, sourceArn ?? source.table);
  if (sourceArn !== undefined && !sourceArn.endsWith(`:table/${source.table}`)) {
    throw new EdgeloomError(
      'usage',
      `--source-arn ${sourceArn} is no ARN of the table ${source.table}.`,
      `Give arn:aws:dynamodb:REGION:ACCOUNT:table/${source.table}.`,
    );
  }
  const mirror = createMirror(graph, { source, store, sourceStore });
  const progress = startProgress('items', 0);
  const { signal, release } = createStopSignal();
  try {
    return await run(mirror, { signal, onProgress: (items) => progress.update(items, items) });
  } finally {
    release();
    progress.stop();
  }
}
