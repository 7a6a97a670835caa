import { type Command, InvalidArgumentError } from 'commander';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { createSources, type SyncOptions, type SyncResult } from '../../../../src/sources/create-sources.ts';
import type { Source } from '../../../../src/sources/source.ts';
import type { SyncProgress } from '../../../../src/sources/sync.ts';
import { createClient } from '../../../../src/store/client.ts';
import { DynamoDBSourceStore } from '../../../../src/store/source-table.ts';
import { type Interruptible, interruptible } from '../../shared/interruptible.ts';
import { openSources } from '../../shared/model.ts';
import { endpointUrl, examples, refuseBeside, refuseWithout, wholeNumber } from '../../shared/options.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';
import { stopped } from '../../shared/signals.ts';

const FOUND = 1;
const MOST_PRINTED = 20;

interface SyncFlags {
  sourceArn?: string;
  sourceEndpoint?: string;
  dryRun?: boolean;
  resume?: boolean;
  retire?: string;
  maxRcu?: number;
  maxWcu?: number;
  grace?: number;
}

const HELP = `
The model file exports the sources: export const sources = [sourceTable('app-table', { map })]. SOURCE is the name of one; it may be left out if
there is one alone. One walk is for all: the first time, after another version of the mapping, forward or back, after changes were lost,
after a restore, and to repair. It touches every key of the source, and every key that something was made of.

The version of the model file comes into force with it. The walk begins 20 to 25 minutes after another version has
come into force, or the source was retired. A walk that was
stopped goes on with --resume, unless changes were lost since it began.

A dry run writes nothing. It compares, and names source items that make nothing, and attributes that nothing has that is made.

Exit code: 0, or 1 if something differs, is in conflict, or is refused by the mapping; 2 after a failure.
Rights: dynamodb:GetItem, Scan on a source table; dynamodb:DeleteItem, GetItem, PutItem, Query on the table.
`;

export function mirrorCommand(mirror: Command): void {
  mirror.addHelpText('after', examples('mirror sync', 'mirror sync app-table --dry-run'));
  mirror
    .command('sync')
    .description('write the nodes and edges that a source makes, or retire a source')
    .argument('[source]', 'name of a source')
    .option('--source-arn <arn>', 'ARN of the source table, if it is in a different account')
    .option(
      '--source-endpoint <url>',
      'DynamoDB endpoint of the source table, as you gave it to dev (default: --endpoint)',
      endpointUrl,
    )
    .option('--dry-run', 'compare, and write nothing')
    .option(
      '--grace <seconds>',
      'with --dry-run: how long a change may take before a difference counts (default: 60)',
      parseSeconds,
    )
    .option(
      '--max-rcu <n>',
      'read at most this many units a second from the source (reads, if it is a different database)',
      wholeNumber,
    )
    .option('--max-wcu <n>', 'consume at most this many write units of the table a second', wholeNumber)
    .option('--resume', 'continue where the last sync was stopped')
    .option('--retire <name>', 'remove what only this source has made; --dry-run lists it')
    .addHelpText(
      'after',
      HELP + examples('mirror sync', 'mirror sync app-table --max-rcu 100', 'mirror sync --retire old-table'),
    )
    .action(inSession(runSync));
}

function parseSeconds(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It should be a whole number of seconds.');
}

async function runSync(session: CommandSession, name: string | undefined, flags: SyncFlags) {
  const { graph, store, client, settings } = session;
  const { sourceArn, sourceEndpoint, retire, grace, ...given } = flags;
  if (flags.dryRun !== true) refuseWithout('--dry-run', { grace }, ['grace']);
  else refuseBeside('--dry-run', { resume: flags.resume }, ['resume']);
  const sources = await openSources(settings);
  if (retire !== undefined) {
    refuseBeside('--retire', { sourceArn, sourceEndpoint, grace }, ['sourceArn', 'sourceEndpoint', 'grace']);
    if (name !== undefined)
      throw new EdgeloomError('usage', `${name} was given beside --retire ${retire}.`, 'Name one source alone.');
  }
  const source = retire === undefined ? namedSource(sources, name, settings.config) : undefined;
  if (sourceArn !== undefined && !sourceArn.endsWith(`:table/${source?.name}`)) {
    throw new EdgeloomError(
      'usage',
      `--source-arn ${sourceArn} is no ARN of the table ${source?.name}.`,
      `Give arn:aws:dynamodb:REGION:ACCOUNT:table/${source?.name}.`,
    );
  }
  const itsClient =
    sourceEndpoint === undefined ? client : createClient({ ...settings.client, endpoint: sourceEndpoint });
  // DynamoDB accepts an ARN in place of a table name.
  const openTable = (table: string): DynamoDBSourceStore => new DynamoDBSourceStore(itsClient, sourceArn ?? table);
  const opened = createSources(graph, { sources, store, openTable });
  const run = async ({ signal, update }: Interruptible): Promise<SyncResult> => {
    const options: SyncOptions = {
      ...given,
      signal,
      ...(grace !== undefined && { graceMs: grace * 1000 }),
      onProgress: telling((items) => update(items, items)),
    };
    try {
      return await (retire === undefined ? opened.sync(source!.name, options) : opened.retire(retire, options));
    } catch (error) {
      if (flags.dryRun === true || error !== signal.reason) throw error;
      throw stopped('Continue it with --resume.');
    }
  };
  try {
    const result = await interruptible('source items', 0, run);
    const { differences, pending, conflicts, refused } = result;
    if (differences.length + pending + conflicts.length + refused.length > 0) process.exitCode = FOUND;
    return { json: result, text: syncText(result, flags) };
  } finally {
    if (itsClient !== client) itsClient.destroy();
  }
}

function telling(update: (items: number) => void): (progress: SyncProgress) => void {
  let isTold = false;
  return ({ phase, items, untilMs }) => {
    if (phase !== 'waiting') return update(items);
    if (isTold) return;
    isTold = true;
    const until = new Date(untilMs ?? 0).toISOString();
    process.stderr.write(
      `The walk begins at ${until}, when no write of the version before can land any more. It can be stopped, and goes on with --resume.\n`,
    );
  };
}

function syncText(
  { items, made, differences, pending, conflicts, refused, unused, dropped }: SyncResult,
  flags: SyncFlags,
): string {
  const { dryRun = false, retire } = flags;
  const goes = retire === undefined ? '' : ' goes';
  const lines = [
    ...listed(differences, ({ source, target, kind, key }) => `${kind}${goes}: ${source} ${target}, of ${key}`),
    ...listed(conflicts, ({ source, target, shown, makers }) => {
      return `conflict: ${source} ${target} shows ${shown} of ${makers.join(', ')}`;
    }),
    ...listed(refused, ({ key, reason }) => `refused: ${key}: ${reason}`),
    ...listed(unused, (key) => `makes nothing: ${key}`),
    ...Object.entries(dropped).map(([name, count]) => `left out: ${name}, of ${countText(count, 'source item')}`),
  ];
  const late = pending === 0 ? '' : `, ${figureText(pending)} that may be late alone`;
  const last = !dryRun
    ? `${countText(items, 'source item')} ${retire === undefined ? 'touched' : 'retired'}`
    : `${countText(items, 'source item')}, ${retire === undefined ? `${countText(made, 'item')} made, ` : ''}${countText(differences.length, 'difference')}${late}`;
  return [...lines, last].map(printable).join('\n');
}

function listed<T>(all: readonly T[], lineOf: (one: T) => string): string[] {
  const rest = all.length - MOST_PRINTED;
  return [...all.slice(0, MOST_PRINTED).map(lineOf), ...(rest > 0 ? [`and ${figureText(rest)} more`] : [])];
}

function namedSource(sources: readonly Source[], name: string | undefined, file: string): Source {
  const source =
    name === undefined ? (sources.length === 1 ? sources[0] : undefined) : sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  const known =
    sources.length === 0 ? 'It exports no sources.' : `Its sources are ${sources.map((one) => one.name).join(', ')}.`;
  throw new EdgeloomError(
    'usage',
    `The model file ${file}: no source ${name ?? 'is named'}. ${known}`,
    sources.length === 0
      ? "Export them from the model file: export const sources = [sourceTable('app-table', { map })]."
      : 'Name one of them.',
  );
}
